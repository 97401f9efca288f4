import { type Static, type TSchema, Type } from 'typebox'
import { Nullable, Page, ref, Timestamp, Uuid } from '../../kernel/http/schema.ts'

const id = '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d'
const time = '2026-11-20T09:37:00.123Z'
const NullableText = Nullable(Type.String())

const threadFields = {
  id: Type.Unsafe<string>({ ...Uuid, description: 'Of its lead.' }),
  last_message_id: Uuid,
  mailbox_id: Uuid,
  campaign_id: Uuid,
  kind: Type.Enum(['reply', 'auto_reply', 'bounce', 'complaint', 'colleague'], {
    description: 'Of what came in last.',
  }),
  from_address: Type.String({ description: 'Who wrote last.' }),
  is_from_another: Type.Boolean({ description: 'Somebody else answered than was written to.' }),
  subject: Type.String(),
  snippet: Type.String(),
  unread: Type.Boolean(),
  suggestion: Nullable(Type.Enum(['unsubscribed'], { description: 'What the lead asks for.' })),
  waiting: Type.Boolean({ description: 'A person wrote last, and nobody has answered.' }),
  timestamp_done: Nullable(Timestamp),
  snoozed_until: Nullable(Timestamp),
  timestamp_last_message: Type.Unsafe<Date>({
    ...Timestamp,
    description: 'When its last mail arrived, or was sent.',
  }),
  timestamp_created: Timestamp,
  timestamp_updated: Timestamp,
  lead_email: NullableText,
  lead_name: NullableText,
  lead_company: NullableText,
  lead_status: NullableText,
  campaign_name: NullableText,
  mailbox_address: Nullable(Type.String({ description: 'Null: it was removed.' })),
}

const thread = {
  ...{ id, last_message_id: id, mailbox_id: id, campaign_id: id, kind: 'reply' },
  ...{ from_address: 'ann@example.com', is_from_another: false },
  ...{ subject: 'Re: Hello', snippet: 'Gladly.', unread: true },
  ...{ suggestion: null, waiting: true, timestamp_done: null, snoozed_until: null },
  ...{ timestamp_last_message: time, timestamp_created: time, timestamp_updated: time },
  ...{ lead_email: 'ann@example.com' },
  ...{ lead_name: 'Ann', lead_company: 'Example Ltd', lead_status: 'replied' },
  ...{ campaign_name: 'Autumn', mailbox_address: 'sales@example.org' },
}

const Excerpt = Type.Array(
  Type.Object({
    text: Type.String(),
    is_match: Type.Boolean({ description: 'One of the words that were searched for.' }),
  }),
)

export const Thread = Type.Object(
  {
    ...threadFields,
    excerpt: Nullable(
      Type.Unsafe<Static<typeof Excerpt>>({
        ...Excerpt,
        description: 'Where the search found something in a mail, in parts that follow each other.',
      }),
    ),
  },
  {
    $id: 'Thread',
    description: 'A conversation that somebody answered in.',
    examples: [{ ...thread, excerpt: null }],
  },
)

export const ThreadPage = Page(Thread)

export const ThreadCounts = Type.Object(
  {
    waiting: Type.Integer(),
    unread: Type.Integer(),
    snoozed: Type.Integer(),
    automatic: Type.Integer(),
    bounces: Type.Integer(),
    by_mailbox: Type.Array(
      Type.Object({
        mailbox_id: Uuid,
        address: Nullable(Type.String({ description: 'Also of one that was removed.' })),
        waiting: Type.Integer(),
      }),
    ),
    by_label: Type.Array(
      Type.Object({
        label: Type.String({ description: 'The status of the leads.' }),
        waiting: Type.Integer(),
      }),
    ),
  },
  {
    $id: 'ThreadCounts',
    description: 'How much there is to do. Counts end at 1,000.',
    examples: [
      {
        ...{ waiting: 3, unread: 1, snoozed: 0, automatic: 4, bounces: 2 },
        by_mailbox: [{ mailbox_id: id, address: 'sales@example.org', waiting: 3 }],
        by_label: [{ label: 'interested', waiting: 2 }],
      },
    ],
  },
)

export const ThreadMessage = Type.Object(
  {
    id: Uuid,
    direction: Type.Enum(['in', 'out']),
    kind: Type.String({
      description: 'step, manual, reply, auto_reply, bounce, complaint or colleague.',
    }),
    step: Nullable(Type.Integer()),
    from_address: Type.String(),
    from_name: Nullable(Type.String({ description: 'Of whoever wrote to us, as they say it.' })),
    to_addresses: Type.Array(Type.String()),
    cc_addresses: Type.Array(Type.String()),
    subject: Type.String(),
    text: Type.String(),
    snippet: Type.String(),
    has_html: Type.Boolean({ description: 'Its body is to be shown by itself.' }),
    has_remote_images: Type.Boolean(),
    matched_by: Nullable(
      Type.Enum(['message_id', 'address', 'subject'], {
        description: 'How it was found that it belongs here: the first is certain.',
      }),
    ),
    attachments: Type.Array(Type.String(), {
      description: 'Names of the files: each is fetched by its place.',
    }),
    written_by: Nullable(Type.Unsafe<string>({ ...Uuid, description: 'The person of ours.' })),
    reply_key: Nullable(Type.String({ description: 'The Idempotency-Key of an answer of ours.' })),
    timestamp: Timestamp,
  },
  { $id: 'ThreadMessage', description: 'A mail of a conversation.' },
)

export const ThreadMessagePage = Page(ThreadMessage)

export const FoundWords = Type.Object(
  { words: Type.Array(Type.String()) },
  {
    $id: 'FoundWords',
    description: 'The words of a search as a conversation spells them.',
    examples: [{ words: ['Gearbox', 'gearboxes'] }],
  },
)

export const ThreadReply = Type.Object(
  {
    id: Uuid,
    idempotency_key: Type.String(),
    state: Type.Enum(['waiting', 'claimed', 'transmitting', 'sent', 'failed', 'uncertain']),
    to_address: Type.String(),
    text: NullableText,
    html: NullableText,
    error_message: NullableText,
    written_by: Nullable(Uuid),
    timestamp_created: Timestamp,
  },
  {
    $id: 'ThreadReply',
    description: 'An answer of ours, and what became of it.',
    examples: [
      {
        ...{ id, idempotency_key: 'a', state: 'sent', to_address: 'ann@example.com' },
        ...{ text: 'Gladly.', html: null, error_message: null, written_by: id },
        timestamp_created: time,
      },
    ],
  },
)

export const Conversation = Type.Object(
  {
    ...threadFields,
    messages: Type.Array(ref(ThreadMessage)),
    has_older: Type.Boolean({ description: 'There are older messages than these.' }),
    replies: Type.Array(ref(ThreadReply), {
      description: 'Those that are not among the messages: on their way, failed or uncertain.',
    }),
    answer_to: NullableText,
    answer_problem: Nullable(Type.String({ description: 'Why nothing can be sent there.' })),
    may_force: Type.Boolean({ description: 'The address is suppressed, and nothing else.' }),
  },
  {
    $id: 'Conversation',
    description: 'A conversation with its newest messages, the newest first.',
    examples: [
      {
        ...thread,
        ...{ messages: [], has_older: false, replies: [] },
        ...{ answer_to: 'ann@example.com', answer_problem: null, may_force: false },
      },
    ],
  },
)

const ids = Type.Array(Uuid, { minItems: 1, maxItems: 100 })
const threadIds = ['019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d']

const input = <T extends Record<string, TSchema>>(
  $id: string,
  description: string,
  fields: T,
  example: object,
) =>
  Type.Object(fields, {
    $id,
    description,
    additionalProperties: false,
    examples: [example],
  })

const seen = (effect: string) =>
  Type.Optional({ ...Uuid, description: `The last message that was seen: ${effect}` })

const nothingChanges = 'where something newer came in, nothing is changed.'

export const ThreadsRead = input(
  'ThreadsRead',
  'Which conversations, and whether somebody has read them.',
  {
    ids,
    read: Type.Boolean(),
    seen_message_id: seen('a conversation that has a newer one stays as it is.'),
  },
  { ids: threadIds, read: true },
)

export const ThreadsDone = input(
  'ThreadsDone',
  'Which conversations, and whether nothing is left to do.',
  { ids, done: Type.Boolean(), seen_message_id: seen(nothingChanges) },
  { ids: threadIds, done: true },
)

export const ThreadsSnooze = input(
  'ThreadsSnooze',
  'Which conversations, and when they come back; without a time they are back.',
  {
    ids,
    until: Type.Optional(Type.String({ maxLength: 40, 'x-document': { format: 'date-time' } })),
    seen_message_id: seen(nothingChanges),
  },
  { ids: threadIds },
)

export const ReplyInput = input(
  'ReplyInput',
  'What somebody answers: text or HTML.',
  {
    text: Type.Optional(Type.String({ maxLength: 1_000_000 })),
    html: Type.Optional(Type.String({ maxLength: 1_000_000 })),
    force: Type.Optional(
      Type.Boolean({ description: 'Also to a suppressed address, when its owner asks for it.' }),
    ),
    seen_message_id: seen('where there is a newer one nothing is sent.'),
  },
  { text: 'Gladly.' },
)

export const SyncedMailboxes = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        id: Uuid,
        address: Type.String(),
        mails: Type.Integer({ description: 'New ones that belong to a conversation.' }),
        error: Nullable(Type.String({ description: 'Why it could not be read.' })),
      }),
    ),
  },
  { $id: 'SyncedMailboxes', description: 'What came of reading each mailbox.' },
)

export const Changed = Type.Object(
  { ids: Type.Array(Uuid) },
  { $id: 'ChangedThreads', description: 'The conversations that were asked for.' },
)

export type ThreadMessage = Static<typeof ThreadMessage>
export type ThreadReply = Static<typeof ThreadReply>
