import { Type } from 'typebox'
import { Nullable } from '../../../kernel/http/schema.ts'

const Consent = Type.Enum(['google', 'microsoft'])
const scopes = ['https://mail.google.com/', 'openid', 'email']

export const ConsentSettings = Type.Object(
  {
    redirect_url: Type.String({ description: 'To register with each client, exactly so.' }),
    providers: Type.Array(
      Type.Object({
        provider: Consent,
        client_id: Nullable(Type.String({ description: 'Null: none is configured.' })),
        scopes: Type.Array(Type.String()),
        admin_url: Nullable(
          Type.String({ description: 'Where an administrator allows it for everybody.' }),
        ),
      }),
    ),
  },
  {
    $id: 'MailboxConsentSettings',
    description: 'Where owners of mailboxes can be asked for their consent.',
    examples: [
      {
        redirect_url: 'https://outrider.example.com/consent',
        providers: [{ provider: 'google', client_id: null, scopes, admin_url: null }],
      },
    ],
  },
)

export const ConsentInput = Type.Object(
  {
    provider: Consent,
    address: Type.Optional(
      Type.String({ maxLength: 320, description: 'Whom the provider asks first.' }),
    ),
  },
  {
    $id: 'MailboxConsentInput',
    description: 'Whose consent is wanted.',
    additionalProperties: false,
    examples: [{ provider: 'google', address: 'ada@example.com' }],
  },
)

export const ReconnectInput = Type.Object(
  { provider: Consent },
  {
    $id: 'MailboxReconnectInput',
    description: 'Who asks for the consent.',
    additionalProperties: false,
    examples: [{ provider: 'google' }],
  },
)

export const ConsentStart = Type.Object(
  { url: Type.String({ description: 'Where to sign in and consent, within ten minutes.' }) },
  {
    $id: 'MailboxConsentStart',
    description: 'The way to the provider.',
    examples: [{ url: 'https://accounts.google.com/o/oauth2/v2/auth?client_id=outrider' }],
  },
)

const answer = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

export const ConsentAnswer = Type.Object(
  {
    state: Type.String({ maxLength: 2000 }),
    code: answer(4000),
    error: answer(200),
    error_description: answer(2000),
  },
  {
    $id: 'MailboxConsentAnswer',
    description: 'What the provider sent the person back with.',
    additionalProperties: false,
    examples: [{ state: 'x8Qw…', code: '4/0Ab…' }],
  },
)

export const consentSchemas = [
  ...[ConsentSettings, ConsentInput, ReconnectInput, ConsentStart, ConsentAnswer],
]
