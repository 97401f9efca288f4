import { type Static, Type } from 'typebox'
import { Nullable, ref, Uuid } from '../../kernel/http/schema.ts'
import { CampaignChanges } from '../campaigns/index.ts'

const id = (description: string) => Type.Unsafe<string>({ ...Uuid, description })
const number = (description: string) => Type.Integer({ minimum: 1, maximum: 1000, description })

const uuid = '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d'

const draft = Type.Optional(ref(CampaignChanges))

export const PreviewInput = Type.Object(
  {
    lead_id: id('A lead of the campaign.'),
    step: Type.Optional(number("From 1; without it the lead's next one.")),
    variant: Type.Optional(number('From 1; without it the one that the lead gets.')),
    draft,
  },
  {
    $id: 'PreviewInput',
    description: 'Which mail to look at; `draft` holds changes that are not saved.',
    additionalProperties: false,
    examples: [{ lead_id: uuid, step: 1 }],
  },
)

const PreviewedMail = Type.Object({
  from: Type.String({ description: 'The name of its mailbox and the address.' }),
  to: Type.Array(Type.String(), { description: 'The lead alone.' }),
  cc: Type.Array(Type.String(), { description: 'Get a copy, and the lead sees that.' }),
  bcc: Type.Array(Type.String(), { description: 'Get a copy unseen.' }),
  subject: Type.String(),
  text: Type.String(),
  html: Nullable(Type.String({ description: 'Without tracking; null: it is sent as plain text.' })),
  headers: Type.String({ description: 'As they leave.' }),
  size_bytes: Type.Integer(),
})

export const MailPreview = Type.Object(
  {
    step: Type.Integer(),
    variant: Type.Integer(),
    mailbox: Type.String({ description: 'It would be sent from there.' }),
    mail: Nullable(PreviewedMail),
    refusal: Nullable(Type.String({ description: 'Why it cannot be made for the lead.' })),
    warnings: Type.Array(Type.String()),
  },
  {
    $id: 'MailPreview',
    description: 'A mail as it would leave now.',
    examples: [
      {
        ...{ step: 1, variant: 1, mailbox: 'anna@example.com', refusal: null, warnings: [] },
        mail: {
          ...{
            from: 'Anna Example <anna@example.com>',
            ...{ to: ['ada@lead.example'], cc: [], bcc: [] },
            subject: 'Hello Ada',
          },
          ...{ text: 'Hi', html: '<p>Hi</p>', headers: 'Subject: Hello Ada', size_bytes: 640 },
        },
      },
    ],
  },
)

export const TestMailInput = Type.Object(
  {
    lead_id: id('Whose mail it is.'),
    step: number('From 1.'),
    variant: Type.Optional(number('From 1; without it the one that the lead gets.')),
    mailbox_id: id('Sends it.'),
    to: Type.String({ minLength: 1, maxLength: 320, 'x-trim': true }),
    draft,
  },
  {
    $id: 'TestMailInput',
    description: 'Which mail to send to whom.',
    additionalProperties: false,
    examples: [{ lead_id: uuid, step: 1, mailbox_id: uuid, to: 'me@example.com' }],
  },
)

export const TestMailResult = Type.Object(
  {
    success: Type.Boolean(),
    mailbox: Type.String(),
    to: Type.String(),
    subject: Nullable(Type.String()),
    error: Nullable(Type.String({ description: 'What happened and what to do.' })),
  },
  {
    $id: 'TestMailResult',
    description: 'Whether the mail server took a test.',
    examples: [
      {
        ...{ success: true, mailbox: 'anna@example.com', to: 'me@example.com' },
        ...{ subject: 'Hello Ada', error: null },
      },
    ],
  },
)

export type TestMailInput = Static<typeof TestMailInput>
export type TestMailResult = Static<typeof TestMailResult>
