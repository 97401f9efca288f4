import { type Static, Type } from 'typebox'
import { Name } from '../../kernel/http/schema.ts'

const server = (port: number, security: 'tls' | 'starttls') =>
  Type.Object(
    {
      host: Type.String({
        minLength: 1,
        maxLength: 253,
        pattern: '^[A-Za-z0-9._:-]+$',
        description: 'Host name or IP address.',
      }),
      port: Type.Integer({ minimum: 1, maximum: 65_535, default: port }),
      security: Type.Enum(['tls', 'starttls', 'none'], {
        default: security,
        description: '`tls` from the first byte, `starttls` after a greeting, `none` in the clear.',
      }),
      username: Type.String({ minLength: 1, maxLength: 320 }),
      password: Type.String({ minLength: 1, maxLength: 1024, 'x-secret': true }),
    },
    { additionalProperties: false },
  )

/** What an operator gives to add a mailbox. Both servers: without IMAP a reply would stop nothing. */
export const NewMailbox = Type.Object(
  {
    address: Type.String({ minLength: 3, maxLength: 320, 'x-trim': true }),
    display_name: Type.Optional(Name),
    smtp: server(587, 'starttls'),
    imap: server(993, 'tls'),
    daily_limit: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 50,
      description: 'Mails a day, of all campaigns together.',
    }),
  },
  { $id: 'NewMailbox', additionalProperties: false },
)

export type NewMailbox = Static<typeof NewMailbox>

/** The part that is stored encrypted. */
export type MailboxSettings = Pick<NewMailbox, 'smtp' | 'imap'>

export type MailboxStatus = 'connected' | 'error' | 'paused'

/** A mailbox as operators see it: never with its servers' passwords. */
export interface Mailbox {
  id: string
  address: string
  display_name: string | null
  status: MailboxStatus
  /** Why it is not connected. */
  status_reason: string | null
  daily_limit: number
  workspace_id: string
  timestamp_created: Date
  timestamp_updated: Date
}
