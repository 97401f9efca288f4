import { type Static, Type } from 'typebox'
import { Nullable, Page, Timestamp, Uuid } from '../../../kernel/http/schema.ts'
import { MailboxChange, MailboxInput } from '../schema.ts'
import { providers } from './presets.ts'

const time = '2026-11-20T09:37:00.123Z'
const id = '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d'

const Security = Type.Enum(['tls', 'starttls', 'none'])

const Server = Type.Object(
  {
    host: Type.String(),
    port: Type.Integer(),
    security: Security,
    username: Type.String(),
    login: Type.Enum(['password', 'oauth2']),
  },
  { description: 'Without what opens it.' },
)

const server = {
  ...{ host: 'mail.example.com', port: 587, security: 'starttls' },
  ...{ username: 'ada@example.com', login: 'password' },
}

const mailbox = {
  ...{ id, workspace_id: id, address: 'ada@example.com', display_name: 'Ada Lovelace' },
  ...{ signature: '<p>Ada</p>', timezone: 'Europe/London' },
  ...{ status: 'connected', status_reason: null, provider: 'other', consent: null },
  ...{ smtp: server, imap: { ...server, port: 993, security: 'tls' } },
  ...{ daily_limit: 40, ramp_up: null, gap_seconds: 120, save_sent: 'auto' },
  ...{ sends_locally: false, inbox_read_at: time, is_inbox_read: true },
  ...{ sent_today: 12, limit_today: 40, timestamp_access_renewed: null },
  ...{ timestamp_created: time, timestamp_updated: time },
}

export const ManagedMailbox = Type.Object(
  {
    id: Uuid,
    workspace_id: Uuid,
    address: Type.String(),
    display_name: Nullable(Type.String()),
    signature: Nullable(Type.String({ description: 'HTML.' })),
    timezone: Nullable(Type.String({ description: 'IANA; null: its day is that of UTC.' })),
    status: Type.Enum(['connected', 'error', 'paused']),
    status_reason: Nullable(Type.String({ description: 'What happened, and what to do.' })),
    provider: Type.Enum([...providers]),
    consent: Nullable(Type.Enum(['google', 'microsoft'])),
    timestamp_access_renewed: Nullable(Timestamp),
    smtp: Server,
    imap: Server,
    daily_limit: Type.Integer(),
    ramp_up: Nullable(
      Type.Object({
        start: Type.Integer(),
        step: Type.Integer(),
        from: Type.String({ description: 'Its first day.' }),
      }),
    ),
    gap_seconds: Type.Integer(),
    save_sent: Type.Enum(['auto', 'on', 'off']),
    sends_locally: Type.Boolean({ description: 'Its sending server is of this machine.' }),
    inbox_read_at: Nullable(Timestamp),
    is_inbox_read: Type.Boolean({ description: 'Follow-ups wait while it is false.' }),
    sent_today: Type.Integer({ description: 'On the day of its zone.' }),
    limit_today: Type.Integer({ description: 'With its ramp-up.' }),
    timestamp_created: Timestamp,
    timestamp_updated: Timestamp,
  },
  {
    $id: 'Mailbox',
    description: 'A mailbox, without the passwords of its servers.',
    examples: [mailbox],
  },
)

export const MailboxPage = Page(ManagedMailbox)

export const MailboxUse = Type.Object(
  {
    campaigns: Type.Array(Type.Object({ id: Uuid, name: Type.String(), status: Type.String() }), {
      description: 'That send from it.',
    }),
    waiting: Type.Array(
      Type.Object({ campaign_id: Uuid, campaign_name: Type.String(), leads: Type.Integer() }),
      { description: 'Leads with a follow-up to come from it.' },
    ),
  },
  {
    $id: 'MailboxUse',
    description: 'What pausing or removing a mailbox touches.',
    examples: [
      {
        campaigns: [{ id, name: 'Autumn', status: 'active' }],
        waiting: [{ campaign_id: id, campaign_name: 'Autumn', leads: 12 }],
      },
    ],
  },
)

export const RemovedMailbox = Type.Object(
  { id: Uuid, address: Type.String(), timestamp_removed: Timestamp },
  {
    $id: 'RemovedMailbox',
    description: 'A mailbox that was removed, and that conversations are in.',
    examples: [{ id, address: 'anna@example.com', timestamp_removed: time }],
  },
)

export const RemovedMailboxPage = Page(RemovedMailbox)

const Place = Type.Object({ host: Type.String(), port: Type.Integer(), security: Security })
const google = { host: 'smtp.gmail.com', port: 587, security: 'starttls' }

export const MailboxSuggestion = Type.Object(
  {
    address: Type.String(),
    provider: Type.Enum([...providers]),
    takes_mail: Nullable(
      Type.Boolean({ description: 'Null: the name servers of its domain gave no answer.' }),
    ),
    smtp: Nullable(Place),
    imap: Nullable(Place),
    mailbox_id: Nullable(Uuid),
  },
  {
    $id: 'MailboxSuggestion',
    description: 'The provider of an address and its servers, by its domain’s MX records.',
    examples: [
      {
        ...{ address: 'ada@example.com', provider: 'google', takes_mail: true, smtp: google },
        imap: { host: 'imap.gmail.com', port: 993, security: 'tls' },
        mailbox_id: null,
      },
    ],
  },
)

const DnsRecord = Type.Object({
  type: Type.Enum(['TXT', 'CNAME']),
  name: Type.String(),
  value: Type.String(),
})

const dmarc = { type: 'TXT', name: '_dmarc.example.com', value: 'v=DMARC1; p=none' }

export const MailboxDns = Type.Object(
  {
    domain: Type.String(),
    findings: Type.Array(
      Type.Object({
        record: Type.Enum(['SPF', 'DKIM', 'DMARC', 'tracking']),
        status: Type.Enum(['ok', 'warn']),
        detail: Type.String(),
        remedy: Nullable(Type.String()),
        records: Type.Array(DnsRecord, { description: 'To add where it is missing.' }),
      }),
    ),
  },
  {
    $id: 'MailboxDns',
    description: 'Whether receivers can tell that mail of the domain is not forged, as of now.',
    examples: [
      {
        domain: 'example.com',
        findings: [
          {
            ...{ record: 'DMARC', status: 'warn', detail: 'the domain has none' },
            ...{ remedy: 'Add this record.', records: [dmarc] },
          },
        ],
      },
    ],
  },
)

export const MailboxTestLine = Type.Object(
  {
    step: Type.String({ description: 'What was tried; `done` is the last line.' }),
    status: Type.Enum(['ok', 'warn', 'fail']),
    detail: Type.String(),
    remedy: Nullable(Type.String()),
  },
  {
    $id: 'MailboxTestLine',
    description: 'A line of JSON for each step, as soon as it is over.',
    examples: [
      { step: 'imap login', status: 'ok', detail: 'connected and logged in', remedy: null },
    ],
  },
)

export type ManagedMailbox = Static<typeof ManagedMailbox>
export type RemovedMailbox = Static<typeof RemovedMailbox>
export type MailboxUse = Static<typeof MailboxUse>

export const mailboxSchemas = [
  ...[ManagedMailbox, MailboxPage, MailboxInput, MailboxChange],
  ...[
    RemovedMailbox,
    RemovedMailboxPage,
    MailboxUse,
    MailboxSuggestion,
    MailboxDns,
    MailboxTestLine,
  ],
]
