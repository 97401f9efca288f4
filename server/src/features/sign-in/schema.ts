import { type Static, Type } from 'typebox'
import { roles } from '../../kernel/http/access.ts'
import { Name, Nullable, Uuid } from '../../kernel/http/schema.ts'
import { passwordMax, passwordMin } from '../users/index.ts'

const Email = Type.String({ minLength: 3, maxLength: 254, 'x-trim': true })

export const NewPassword = Type.String({
  minLength: passwordMin,
  maxLength: passwordMax,
  description: `${passwordMin} characters or more.`,
})

export const SetUpInput = Type.Object(
  {
    token: Type.String({ maxLength: 200, description: 'Behind the # of the printed link.' }),
    name: Name,
    email: Email,
    password: NewPassword,
    workspace: Type.Optional({
      ...Name,
      description: 'Of the first workspace; else it stays as it is.',
    }),
  },
  {
    $id: 'SetUpInput',
    description: 'The first user.',
    additionalProperties: false,
    examples: [
      {
        token: 'QmX9…',
        name: 'Ann Example',
        email: 'ann@example.com',
        password: 'correct horse battery staple',
      },
    ],
  },
)

export const SignInInput = Type.Object(
  { email: Email, password: Type.String({ maxLength: passwordMax }) },
  {
    $id: 'SignInInput',
    description: 'An address and its password.',
    additionalProperties: false,
    examples: [{ email: 'ann@example.com', password: 'correct horse battery staple' }],
  },
)

export const SecondFactorInput = Type.Object(
  {
    code: Type.String({ minLength: 1, maxLength: 32, 'x-trim': true }),
    is_backup_code: Type.Optional(Type.Boolean({ default: false })),
  },
  {
    $id: 'SecondFactorInput',
    description: 'A code of the authenticator application, or a backup code.',
    additionalProperties: false,
    examples: [{ code: '123456' }],
  },
)

export const SignInAnswer = Type.Object(
  { second_factor: Type.Boolean({ description: 'Whether a code is asked for next.' }) },
  {
    $id: 'SignInAnswer',
    description: 'Signed in, or half way.',
    examples: [{ second_factor: false }],
  },
)

const OwnWorkspace = Type.Object({
  id: Uuid,
  name: Type.String(),
  handle: Type.String({ description: 'Names it in addresses; never changes.' }),
  role: Type.Enum([...roles]),
  plan_api: Type.Boolean(),
  plan_webhooks: Type.Boolean(),
  plan_acquisition: Type.Boolean(),
})

export const SessionState = Type.Object(
  {
    user: Nullable(
      Type.Object({
        id: Uuid,
        name: Type.String(),
        email: Type.String(),
        has_second_factor: Type.Boolean(),
        is_operator: Type.Boolean({ description: 'Makes workspaces and sets plans.' }),
      }),
    ),
    workspaces: Type.Array(OwnWorkspace),
    is_set_up: Type.Boolean({ description: 'Whether there is any user.' }),
    oidc_name: Nullable(Type.String({ description: 'What to call the other way to sign in.' })),
  },
  {
    $id: 'SessionState',
    description: 'Who is signed in, and where they are a member.',
    examples: [
      {
        user: {
          id: '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d',
          name: 'Ann Example',
          email: 'ann@example.com',
          has_second_factor: false,
          is_operator: true,
        },
        workspaces: [
          {
            id: '019a9d5e-0000-7c31-9d0a-5e1f6a2b3c4d',
            name: 'default',
            handle: 'default',
            role: 'owner',
            plan_api: true,
            plan_webhooks: true,
            plan_acquisition: true,
          },
        ],
        is_set_up: true,
        oidc_name: null,
      },
    ],
  },
)

export type SetUpInput = Static<typeof SetUpInput>
export type SessionState = Static<typeof SessionState>
