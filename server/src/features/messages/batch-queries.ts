import { arrayLiteral } from '../../kernel/db/array-literal.ts'
import { textArray, timestampArray } from '../../kernel/db/binary-array.ts'
import { column, columnOf } from '../../kernel/db/column.ts'
import type { AnyDb } from '../../kernel/db/db.ts'
import { preparedForBatch } from '../../kernel/db/prepared.ts'
import type { NewMessage } from './kept-message.ts'

// Mails of lanes of many workspaces are written together: workspace_id comes from the list, and each
// statement says so in its first comment.

/** An array in an array: unnest would take it apart. */
const lists = (rows: NewMessage[], name: 'to_addresses' | 'cc_addresses') =>
  columnOf(rows, ({ [name]: list = [] }) => (list.length === 0 ? null : arrayLiteral(list)) ?? null)

const insert = preparedForBatch<unknown[], never>(
  'insert_messages',
  `/* batch */
   insert into messages (workspace_id, id, direction, kind, mailbox_id, campaign_id, lead_id,
     step_id, step, variant, message_id, in_reply_to, thread_id, from_address, to_addresses,
     cc_addresses, subject, text, html, snippet, size_bytes, details, timestamp)
   select k.workspace_id, k.id, k.direction, k.kind, k.mailbox_id, k.campaign_id, k.lead_id,
     k.step_id, k.step, k.variant, k.message_id, k.in_reply_to, k.thread_id, k.from_address,
     coalesce(k.to_addresses, '{}')::text[], coalesce(k.cc_addresses, '{}')::text[],
     k.subject, k.text, k.html, k.snippet, k.size_bytes, coalesce(k.details, '{}'), k.timestamp
   from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::uuid[], $7::uuid[],
     $8::uuid[], $9::integer[], $10::integer[], $11::text[], $12::text[], $13::uuid[], $14::text[],
     $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[],
     $21::integer[], $22::jsonb[], $23::timestamptz[])
     as k (workspace_id, id, direction, kind, mailbox_id, campaign_id, lead_id, step_id, step,
       variant, message_id, in_reply_to, thread_id, from_address, to_addresses, cc_addresses,
       subject, text, html, snippet, size_bytes, details, timestamp)
   on conflict (workspace_id, id) do nothing`,
)

/** One that is there already was written by this very work, whose COMMIT had no answer. */
export const insertMessages = (db: AnyDb, rows: (NewMessage & { snippet: string })[]) =>
  insert(
    db,
    column(rows, 'workspace_id'),
    column(rows, 'id'),
    column(rows, 'direction'),
    column(rows, 'kind'),
    column(rows, 'mailbox_id'),
    column(rows, 'campaign_id'),
    column(rows, 'lead_id'),
    column(rows, 'step_id'),
    column(rows, 'step'),
    column(rows, 'variant'),
    column(rows, 'message_id'),
    columnOf(rows, (row) => row.in_reply_to),
    column(rows, 'thread_id'),
    column(rows, 'from_address'),
    lists(rows, 'to_addresses'),
    lists(rows, 'cc_addresses'),
    textArray(column(rows, 'subject')),
    textArray(column(rows, 'text')),
    textArray(column(rows, 'html')),
    textArray(column(rows, 'snippet')),
    column(rows, 'size_bytes'),
    columnOf(rows, ({ details }) => (details ? JSON.stringify(details) : null)),
    timestampArray(column(rows, 'timestamp')),
  )

const leave = preparedForBatch<string[][], never>(
  'leave_threads',
  `/* batch */
   update messages m
   set thread_id = m.id
   from unnest($1::uuid[], $2::uuid[]) as k (workspace_id, id)
   where m.workspace_id = k.workspace_id and m.id = k.id`,
)

/**
 * Mails that were not sent after all are in nobody's conversation. Their rows stay: the next attempt has
 * the same Message-ID, and an answer to it is found by them.
 */
export const leaveThreads = (db: AnyDb, mails: { workspace_id: string; id: string }[]) =>
  leave(db, column(mails, 'workspace_id'), column(mails, 'id'))

export interface NewMessageId {
  workspace_id: string
  hash: Buffer
  /** Of messages. */
  message_id: string
  lead_id: string | null
  /** Of a mail of ours; null: it came in. */
  campaign_id: string | null
  mailbox_id: string
}

const insertIds = (name: string, onConflict: string) =>
  preparedForBatch<unknown[], { hash: Buffer }>(
    name,
    `/* batch */
     insert into message_ids (workspace_id, hash, message_id, lead_id, campaign_id, mailbox_id)
     select distinct on (k.workspace_id, k.hash)
       k.workspace_id, k.hash, k.message_id, k.lead_id, k.campaign_id, k.mailbox_id
     from unnest($1::uuid[], $2::bytea[], $3::uuid[], $4::uuid[], $5::uuid[], $6::uuid[])
       as k (workspace_id, hash, message_id, lead_id, campaign_id, mailbox_id)
     order by k.workspace_id, k.hash, k.campaign_id
     on conflict (workspace_id, hash) ${onConflict}
     returning hash`,
  )

const parametersOf = (rows: NewMessageId[]) =>
  [
    column(rows, 'workspace_id'),
    column(rows, 'hash'),
    column(rows, 'message_id'),
    column(rows, 'lead_id'),
    column(rows, 'campaign_id'),
    column(rows, 'mailbox_id'),
  ] as const

const insertNew = insertIds('insert_message_ids', 'do nothing')

/**
 * The first message with an id keeps it: nobody takes over a thread by sending our own id to us.
 *
 * @returns the hashes that were new
 */
export const insertMessageIds = async (db: AnyDb, rows: NewMessageId[]) =>
  column(await insertNew(db, ...parametersOf(rows)), 'hash')

const insertOrTakeBack = insertIds(
  'take_message_ids',
  `do update
   set message_id = excluded.message_id, lead_id = excluded.lead_id,
     campaign_id = excluded.campaign_id, mailbox_id = excluded.mailbox_id
   where message_ids.campaign_id is null and excluded.campaign_id is not null`,
)

/**
 * Of mails of ours, which take an id back from what came in: a mailbox that gets a copy may be read before
 * the mail is recorded.
 */
export const takeMessageIds = (db: AnyDb, rows: NewMessageId[]) =>
  insertOrTakeBack(db, ...parametersOf(rows))
