import { sql } from 'kysely'
import { sha256 } from '../../../kernel/crypto.ts'
import type { Db } from '../../../kernel/db/db.ts'
import { prepared } from '../../../kernel/db/prepared.ts'
import type { LaneRow } from '../lanes/lane-queries.ts'
import { mayStillLeave, type SendKey, type SendState } from '../ledger.ts'
import { mayClaim, mayMark } from '../restore-guard/hold-queries.ts'
import type { SendError } from '../transmit/outcome.ts'

/** What a person answers, with all that the mail is made of. */
export interface ReplyContent {
  idempotency_key: string
  from_address: string
  to_address: string
  in_reply_to: string
  references: string[]
  /** Subject of the thread, without "Re:". */
  subject: string
  /** What the person wrote, as text or as HTML. */
  text: string | null
  html: string | null
  /** Fit to be shown. */
  shown_html: string | null
  snippet: string
  /** The reply goes to a suppressed address as well. */
  is_forced: boolean
  /** The person who wrote it, in the application. */
  written_by?: string | null
  /** ISO 8601: when it was first asked for. */
  timestamp_created: string
}

/** A row of the ledger of the kind `manual`. */
export interface ReplyRow extends SendKey {
  /** Id of the last attempt, and of its row in messages. */
  id: string
  campaign_id: string
  mailbox_id: string
  message_id: string
  state: SendState
  attempt: number
  reply: ReplyContent
  error_code: string | null
  error_message: string | null
  timestamp_claimed: Date
  timestamp_transmitting: Date | null
  timestamp_settled: Date | null
}

const columns = `workspace_id, lead_id, step_id, id, campaign_id, mailbox_id, message_id, state,
  attempt, reply, error_code, error_message, timestamp_claimed, timestamp_transmitting,
  timestamp_settled`

/** Stands in the place of a step: the same for each use of a key. */
const replyStepId = (key: string) => sha256(`reply ${key}`).subarray(0, 16).toString('hex')

/** Finds a reply by its key, in whichever conversation it is. */
export async function findReply(db: Db, workspaceId: string, key: string) {
  const { rows } = await sql<ReplyRow>`
    select ${sql.raw(columns)} from sends
    where workspace_id = ${workspaceId}::uuid and step_id = ${replyStepId(key)}::uuid
      and kind = 'manual'`.execute(db)
  return rows[0]
}

/**
 * Replies of a conversation that are not among its messages yet, the newest first. One that failed is of
 * no concern any more once a later one was sent in its place.
 */
export async function listUnsentReplies(db: Db, workspaceId: string, threadId: string) {
  const { rows } = await sql<ReplyRow>`
    select ${sql.raw(columns)} from sends s
    where workspace_id = ${workspaceId}::uuid and lead_id = ${threadId}::uuid
      and kind = 'manual' and state <> 'sent'
      and (state <> 'failed' or not exists (
        select from sends n
        where n.workspace_id = ${workspaceId}::uuid and n.lead_id = ${threadId}::uuid
          and n.kind = 'manual' and n.state in ('sent', 'uncertain') and n.id > s.id))
    order by id desc
    limit 100`.execute(db)
  return rows
}

export type NewReplyRow = Pick<
  ReplyRow,
  'workspace_id' | 'lead_id' | 'id' | 'campaign_id' | 'mailbox_id' | 'message_id' | 'reply'
>

/** @returns false where another request was faster with the key */
export async function insertReply(db: Db, row: NewReplyRow, at: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into sends (workspace_id, lead_id, step_id, id, campaign_id, mailbox_id, message_id,
      starts_thread, is_new, claim_token, kind, reply, state, timestamp_claimed, waits_since)
    values (${row.workspace_id}::uuid, ${row.lead_id}::uuid,
      ${replyStepId(row.reply.idempotency_key)}::uuid, ${row.id}::uuid, ${row.campaign_id}::uuid,
      ${row.mailbox_id}::uuid, ${row.message_id}, false, false, 0, 'manual',
      ${JSON.stringify(row.reply)}::jsonb, 'waiting', ${at}::timestamptz, ${at}::timestamptz)
    on conflict do nothing`.execute(db)
  return numAffectedRows === 1n
}

/** Another attempt, only where the last one certainly sent nothing; from another mailbox if need be. */
export async function retakeReply(db: Db, row: NewReplyRow, at: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update sends
    set id = ${row.id}::uuid, attempt = attempt + 1, reply = ${JSON.stringify(row.reply)}::jsonb,
      campaign_id = ${row.campaign_id}::uuid, mailbox_id = ${row.mailbox_id}::uuid,
      message_id = ${row.message_id},
      state = 'waiting', waits_since = ${at}::timestamptz, timestamp_claimed = ${at}::timestamptz,
      timestamp_transmitting = null, timestamp_settled = null, error_stage = null,
      error_code = null, error_message = null
    where workspace_id = ${row.workspace_id}::uuid and lead_id = ${row.lead_id}::uuid
      and step_id = ${replyStepId(row.reply.idempotency_key)}::uuid and state = 'failed'`.execute(
    db,
  )
  return numAffectedRows === 1n
}

/** One that no runner has claimed is not sent any more. */
export const withdrawReply = (
  db: Db,
  { workspace_id, lead_id, step_id, id }: SendKey & { id: string },
  { stage, code, message }: SendError,
  at: Date,
) =>
  sql`
    update sends
    set state = 'failed', waits_since = null, timestamp_settled = ${at}::timestamptz,
      error_stage = ${stage}, error_code = ${code}, error_message = ${message}
    where workspace_id = ${workspace_id}::uuid and lead_id = ${lead_id}::uuid
      and step_id = ${step_id}::uuid and id = ${id}::uuid and state = 'waiting'`.execute(db)

const claim = prepared<[workspaceId: string, ...unknown[]], ReplyRow>(
  'claim_reply',
  `update sends
   set state = 'claimed', waits_since = null, claim_token = $3::bigint,
     timestamp_claimed = $4::timestamptz
   where workspace_id = $1::uuid and (lead_id, step_id) = (
       select lead_id, step_id from sends
       where workspace_id = $1::uuid and mailbox_id = $2::uuid and waits_since is not null
         and ${mayStillLeave('waits_since', '$4')}
       order by waits_since, id
       limit 1
       for update skip locked)
     and exists (select from workspaces w where w.id = $1::uuid and w.moving_to is null)
     and ${mayClaim('$5')}
   returning ${columns}`,
)

/**
 * The one of the mailbox that has waited longest, for whoever holds its lane; none while its workspace is
 * being moved.
 *
 * @param epoch the database's highest that this process has seen
 */
export async function claimReply(
  db: Db,
  { workspaceId, mailboxId, token }: { workspaceId: string; mailboxId: string; token: string },
  epoch: number,
  at: Date,
): Promise<ReplyRow | undefined> {
  const [row] = await claim(db, workspaceId, mailboxId, token, at, epoch)
  return row
}

/** What of its mailbox a reply is made of. */
export interface ReplySender {
  display_name: string | null
  mailbox_version: Date
  status: LaneRow['status']
}

export async function findReplySender(
  db: Db,
  { workspace_id, mailbox_id }: Pick<ReplyRow, 'workspace_id' | 'mailbox_id'>,
): Promise<ReplySender | undefined> {
  const { rows } = await sql<ReplySender>`
    select display_name, timestamp_updated as mailbox_version, status from mailboxes
    where workspace_id = ${workspace_id}::uuid and id = ${mailbox_id}::uuid`.execute(db)
  return rows[0]
}

/**
 * From here on the mail may arrive: an attempt that was given up does not get there, nor does a mail
 * that was made before its mailbox was changed, nor any while sending is held.
 */
export async function markReply(
  db: Db,
  { workspace_id, lead_id, step_id, id, mailbox_id }: SendKey & { id: string; mailbox_id: string },
  { subject, mailbox_version }: { subject: string; mailbox_version: Date },
  at: Date,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update sends
    set state = 'transmitting', subject = ${subject}, timestamp_transmitting = ${at}::timestamptz
    where workspace_id = ${workspace_id}::uuid and lead_id = ${lead_id}::uuid
      and step_id = ${step_id}::uuid and id = ${id}::uuid and state = 'claimed'
      and exists (
        select from mailboxes m
        where m.workspace_id = ${workspace_id}::uuid and m.id = ${mailbox_id}::uuid
          and m.timestamp_updated = ${mailbox_version}::timestamptz)
      and ${sql.raw(mayMark)}`.execute(db)
  return numAffectedRows === 1n
}

/**
 * Of answers before an id: what was written. That they were, and to whom, stays, and no answer is sent
 * twice. What may still be sent keeps its words, as do those of which nobody knows whether they were.
 *
 * @returns how many; as many as `limit` means that there may be more
 */
export async function clearReplies(db: Db, workspaceId: string, id: string, limit: number) {
  const { numAffectedRows } = await sql`
    update sends
    set subject = null,
      reply = reply || '{"subject": "", "text": "", "html": null, "shown_html": null, "snippet": ""}'
    where workspace_id = ${workspaceId}::uuid and kind = 'manual'
      and step_id = any(array(
        select step_id from sends
        where workspace_id = ${workspaceId}::uuid and kind = 'manual' and id < ${id}::uuid
          and state not in ('waiting', 'claimed', 'transmitting', 'uncertain')
          and coalesce(nullif(reply ->> 'text', ''), reply ->> 'html') is not null
        order by step_id
        limit ${limit}::integer))`.execute(db)
  return Number(numAffectedRows ?? 0)
}
