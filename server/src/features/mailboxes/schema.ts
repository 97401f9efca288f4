import { type Static, type TSchema, Type } from 'typebox'
import { Name, Nullable } from '../../kernel/http/schema.ts'

const text = (maxLength: number, more: object = {}) =>
  Type.String({ minLength: 1, maxLength, ...more })

const OAuth2 = Type.Object(
  {
    token_url: text(2048, { pattern: '^https?://' }),
    client_id: text(1024),
    client_secret: Type.Optional(text(4096, { 'x-secret': true })),
    refresh_token: text(16_384, { 'x-secret': true }),
    scope: Type.Optional(text(4096)),
  },
  { additionalProperties: false, description: 'A consent given elsewhere (RFC 6749 §6).' },
)

const serverFields = {
  host: text(253, {
    pattern: '^[A-Za-z0-9._:-]+$',
    description: 'Host name or IP address.',
  }),
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  security: Type.Enum(['tls', 'starttls', 'none'], {
    description: '`tls` from the first byte, `starttls` after a greeting, `none` in the clear.',
  }),
  username: text(320),
  password: Type.Optional(text(1024, { 'x-secret': true })),
  oauth2: Type.Optional(OAuth2),
}

const closed = { additionalProperties: false }

const newServer = (port: number, security: 'tls' | 'starttls') =>
  Type.Object(
    {
      ...serverFields,
      port: withDefault(serverFields.port, port),
      security: withDefault(serverFields.security, security),
    },
    closed,
  )

const changedServer = Type.Partial(Type.Object(serverFields), closed)

const RampUp = Type.Object(
  {
    start: Type.Integer({ minimum: 1, maximum: 10_000, description: 'Mails on its first day.' }),
    step: Type.Integer({ minimum: 0, maximum: 10_000, description: 'More on each day after.' }),
  },
  closed,
)

const Signature = text(20_000, { description: 'HTML.' })
const Timezone = text(64, { description: 'IANA; without one its day is that of UTC.' })
const DailyLimit = Type.Integer({
  minimum: 1,
  maximum: 10_000,
  description: 'Mails a day, of all campaigns together.',
})
const GapSeconds = Type.Integer({
  minimum: 0,
  maximum: 86_400,
  description: 'Between two mails at least.',
})

const SaveSent = Type.Enum(['auto', 'on', 'off'], {
  description:
    'Whether a copy of each mail goes to the Sent folder; `auto`: unless the provider does so.',
})

const exampleLogin = { username: 'ada@example.com', password: 'an app password' }

/** What somebody gives to add a mailbox. Both servers: without IMAP a reply would stop nothing. */
export const MailboxInput = Type.Object(
  {
    address: Type.String({ minLength: 3, maxLength: 320, 'x-trim': true }),
    display_name: Type.Optional(Name),
    signature: Type.Optional(Signature),
    timezone: Type.Optional(Timezone),
    smtp: newServer(587, 'starttls'),
    imap: newServer(993, 'tls'),
    daily_limit: withDefault(DailyLimit, 50),
    ramp_up: Type.Optional(RampUp),
    gap_seconds: withDefault(GapSeconds, 0),
    save_sent: withDefault(SaveSent, 'auto'),
  },
  {
    $id: 'MailboxInput',
    description: 'A mailbox that campaigns send from, with both of its servers.',
    examples: [
      {
        ...{ address: 'ada@example.com', display_name: 'Ada Lovelace', daily_limit: 40 },
        smtp: { ...exampleLogin, host: 'smtp.example.com' },
        imap: { ...exampleLogin, host: 'imap.example.com' },
        ramp_up: { start: 5, step: 5 },
      },
    ],
    ...closed,
  },
)

/** Only what is given changes; null clears. Of a server, too, only what is given. */
export const MailboxChange = Type.Partial(
  Type.Object({
    display_name: Nullable(Name),
    signature: Nullable(Signature),
    timezone: Nullable(Timezone),
    smtp: changedServer,
    imap: changedServer,
    daily_limit: DailyLimit,
    ramp_up: Nullable(RampUp),
    gap_seconds: GapSeconds,
    save_sent: SaveSent,
  }),
  {
    $id: 'MailboxChange',
    description: 'Only what is given changes; null clears. Of a server, too, only what is given.',
    examples: [{ daily_limit: 60, ramp_up: null }],
    ...closed,
  },
)

export type MailboxInput = Static<typeof MailboxInput>
export type MailboxChange = Static<typeof MailboxChange>
export type ServerSettings = MailboxInput['smtp']
export type ServerChange = Static<typeof changedServer>

/** A consent with the access token that was last made from it. */
export type StoredConsent = Static<typeof OAuth2> & {
  access?: { token: string; expires_at: string; made_at?: string }
}

type StoredServer = Omit<ServerSettings, 'oauth2'> & { oauth2?: StoredConsent }

/** The part that is stored encrypted. */
export interface MailboxSettings {
  smtp: StoredServer
  imap: StoredServer
}

/** Which of a mailbox's servers. */
export type MailboxSide = keyof MailboxSettings

export type MailboxStatus = 'connected' | 'error' | 'paused'

/** A mailbox as operators see it: never with its servers' passwords. */
export interface Mailbox {
  id: string
  address: string
  display_name: string | null
  signature: string | null
  timezone: string | null
  status: MailboxStatus
  /** Why it is not connected, and what to do. */
  status_reason: string | null
  daily_limit: number
  /** `from` is its first day. */
  ramp_up: { start: number; step: number; from: string } | null
  gap_seconds: number
  save_sent: MailboxInput['save_sent']
  /** Its sending server is of this machine: links that lead to this machine do for its mails. */
  sends_locally: boolean
  /** What came in before it is known; null: nothing yet. Follow-ups wait until it is read again. */
  inbox_read_at: Date | null
  workspace_id: string
  timestamp_created: Date
  timestamp_updated: Date
}

function withDefault<T extends TSchema>(schema: T, value: Static<T>): T {
  return { ...schema, default: value }
}
