import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'

/** What a reply is made of. */
export interface ReplyDraft {
  workspace_id: string
  idempotency_key: string
  thread_id: string
  campaign_id: string | null
  mailbox_id: string
  message_id: string
  from_address: string
  to_address: string
  in_reply_to: string
  mail_references: string[]
  /** Of the thread, without "Re:". */
  subject: string
  text: string | null
  html: string | null
}

/** What every change names: the work of another attempt is none of its business. */
export interface ReplyAttempt {
  workspace_id: string
  idempotency_key: string
  attempt: number
}

export interface StoredReply extends ReplyDraft, ReplyAttempt {
  id: string
  is_forced: boolean
  state: string
  error_code: string | null
  error_message: string | null
  timestamp_created: Date
  timestamp_claimed: Date
  timestamp_transmitting: Date | null
  timestamp_settled: Date | null
}

/** As people see it. */
export type ShownReply = Omit<StoredReply, 'in_reply_to' | 'mail_references'>

export const shown = ({ in_reply_to, mail_references, ...reply }: StoredReply): ShownReply => reply

const select = (db: Db, workspaceId: string, key: string) =>
  db
    .selectFrom('replies')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('idempotency_key', '=', key)

export const findReply = (db: Db, workspaceId: string, key: string) =>
  select(db, workspaceId, key).executeTakeFirst() as Promise<StoredReply | undefined>

/** Nobody else changes it until the transaction ends. */
export const lockReply = (db: Db, workspaceId: string, key: string) =>
  select(db, workspaceId, key).forUpdate().executeTakeFirst() as Promise<StoredReply | undefined>

type Claim = ReplyDraft & ReplyAttempt & { id: string; is_forced: boolean }

/** Whoever was faster with the key keeps it. */
export async function insertReply(db: Db, claim: Claim, at: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('replies')
    .values({
      ...columnsOf(claim),
      state: 'claimed',
      timestamp_created: at,
      timestamp_claimed: at,
    })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'idempotency_key']).doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

const columnsOf = (claim: Claim) => ({
  workspace_id: claim.workspace_id,
  idempotency_key: claim.idempotency_key,
  id: claim.id,
  thread_id: claim.thread_id,
  campaign_id: claim.campaign_id,
  mailbox_id: claim.mailbox_id,
  message_id: claim.message_id,
  from_address: claim.from_address,
  to_address: claim.to_address,
  in_reply_to: claim.in_reply_to,
  mail_references: claim.mail_references,
  subject: claim.subject,
  text: claim.text,
  html: claim.html,
  is_forced: claim.is_forced,
  attempt: claim.attempt,
})

/** Another attempt, only where the last one certainly sent nothing. */
export async function retakeReply(
  db: Db,
  { workspace_id, idempotency_key, id, attempt, is_forced }: Claim,
  at: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('replies')
    .set({
      ...{ id, attempt, is_forced, state: 'claimed', timestamp_claimed: at },
      ...{ timestamp_transmitting: null, timestamp_settled: null },
      ...{ error_code: null, error_message: null },
    })
    .where('workspace_id', '=', workspace_id)
    .where('idempotency_key', '=', idempotency_key)
    .where('state', '=', 'failed')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** From here on the mail may arrive: an attempt that was taken over does not get there. */
export async function markTransmitting(
  db: Db,
  { workspace_id, idempotency_key, attempt }: ReplyAttempt,
  at: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('replies')
    .set({ state: 'transmitting', timestamp_transmitting: at })
    .where('workspace_id', '=', workspace_id)
    .where('idempotency_key', '=', idempotency_key)
    .where('attempt', '=', attempt)
    .where('state', '=', 'claimed')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** @returns the row, if this changed it */
export const updateSettled = (
  db: Db,
  { workspace_id, idempotency_key, attempt }: ReplyAttempt,
  from: string[],
  outcome: { kind: string; code?: string | null; message?: string },
  at: Date,
) =>
  db
    .updateTable('replies')
    .set({
      state: outcome.kind,
      error_code: outcome.code ?? null,
      error_message: outcome.message ?? null,
      timestamp_settled: at,
    })
    .where('workspace_id', '=', workspace_id)
    .where('idempotency_key', '=', idempotency_key)
    .where('attempt', '=', attempt)
    .where('state', 'in', from)
    .returningAll()
    .executeTakeFirst() as Promise<StoredReply | undefined>

/** Of a conversation, what is not among its messages, the newest first. */
export async function listNotSent(db: Db, workspaceId: string, threadId: string) {
  const rows = await db
    .selectFrom('replies')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('thread_id', '=', threadId)
    .where('state', '<>', 'sent')
    .orderBy('id', 'desc')
    .limit(100)
    .execute()
  return (rows as StoredReply[]).map(shown)
}

export async function lockUncertain(db: Db, workspaceId: string, ids: string[]) {
  const { rows } = await sql<ReplyAttempt>`
    select workspace_id, idempotency_key, attempt
    from replies
    where workspace_id = ${workspaceId}::uuid and id = any(${ids}::uuid[])
      and state = 'uncertain'
    order by idempotency_key
    for update`.execute(db)
  return rows
}
