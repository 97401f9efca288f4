import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import type { NewMessage } from './store.ts'

// Mails of lanes of many workspaces are written together: workspace_id comes from the list, and each
// statement says so in its first comment.

const column = <Row, Name extends keyof Row>(rows: Row[], name: Name): Row[Name][] =>
  rows.map((row) => row[name])

/** An array in an array: unnest would take it apart. */
const lists = (rows: NewMessage[], name: 'to_addresses' | 'cc_addresses') =>
  rows.map((row) => JSON.stringify(row[name] ?? []))

/** One that is there already was written by this very work, whose COMMIT had no answer. */
export const insertMessages = (db: Db, rows: (NewMessage & { snippet: string })[]) =>
  sql`
    /* settle */
    insert into messages (workspace_id, id, direction, kind, mailbox_id, campaign_id, lead_id,
      step_id, step, variant, message_id, in_reply_to, thread_id, from_address, to_addresses,
      cc_addresses, subject, text, html, snippet, size_bytes, details, timestamp)
    select k.workspace_id, k.id, k.direction, k.kind, k.mailbox_id, k.campaign_id, k.lead_id,
      k.step_id, k.step, k.variant, k.message_id, k.in_reply_to, k.thread_id, k.from_address,
      array(select jsonb_array_elements_text(k.to_addresses)),
      array(select jsonb_array_elements_text(k.cc_addresses)),
      k.subject, k.text, k.html, k.snippet, k.size_bytes, k.details, k.timestamp
    from unnest(
      ${column(rows, 'workspace_id')}::uuid[],
      ${column(rows, 'id')}::uuid[],
      ${column(rows, 'direction')}::text[],
      ${column(rows, 'kind')}::text[],
      ${column(rows, 'mailbox_id')}::uuid[],
      ${column(rows, 'campaign_id')}::uuid[],
      ${column(rows, 'lead_id')}::uuid[],
      ${column(rows, 'step_id')}::uuid[],
      ${column(rows, 'step')}::integer[],
      ${column(rows, 'variant')}::integer[],
      ${column(rows, 'message_id')}::text[],
      ${column(rows, 'in_reply_to')}::text[],
      ${column(rows, 'thread_id')}::uuid[],
      ${column(rows, 'from_address')}::text[],
      ${lists(rows, 'to_addresses')}::jsonb[],
      ${lists(rows, 'cc_addresses')}::jsonb[],
      ${column(rows, 'subject')}::text[],
      ${column(rows, 'text')}::text[],
      ${column(rows, 'html')}::text[],
      ${column(rows, 'snippet')}::text[],
      ${column(rows, 'size_bytes')}::integer[],
      ${rows.map((row) => JSON.stringify(row.details ?? {}))}::jsonb[],
      ${column(rows, 'timestamp')}::timestamptz[]
    ) as k (workspace_id, id, direction, kind, mailbox_id, campaign_id, lead_id, step_id, step,
      variant, message_id, in_reply_to, thread_id, from_address, to_addresses, cc_addresses, subject,
      text, html, snippet, size_bytes, details, timestamp)
    on conflict (workspace_id, id) do nothing`.execute(db)

export interface NewMessageId {
  workspace_id: string
  hash: Buffer
  /** Of messages. */
  message_id: string
  lead_id: string | null
  campaign_id: string | null
  mailbox_id: string
}

/** The first message with an id keeps it: nobody takes over a thread by sending our own id to us. */
export const insertMessageIds = (db: Db, rows: NewMessageId[]) =>
  sql`
    /* settle */
    insert into message_ids (workspace_id, hash, message_id, lead_id, campaign_id, mailbox_id)
    select k.workspace_id, k.hash, k.message_id, k.lead_id, k.campaign_id, k.mailbox_id
    from unnest(
      ${column(rows, 'workspace_id')}::uuid[],
      ${column(rows, 'hash')}::bytea[],
      ${column(rows, 'message_id')}::uuid[],
      ${column(rows, 'lead_id')}::uuid[],
      ${column(rows, 'campaign_id')}::uuid[],
      ${column(rows, 'mailbox_id')}::uuid[]
    ) as k (workspace_id, hash, message_id, lead_id, campaign_id, mailbox_id)
    order by k.workspace_id, k.hash
    on conflict (workspace_id, hash) do nothing`.execute(db)
