import { sql } from 'kysely'
import type { Db } from '../../../kernel/db/db.ts'
import type { SendKey } from '../ledger.ts'
import type { SettledReply } from '../replies/reply-mail.ts'
import type { ReplyContent } from '../replies/reply-queries.ts'
import { type ShownSend, shownColumns } from '../sends-queries.ts'

/** Null: not again. */
export const postponeLook = (
  db: Db,
  { workspace_id, lead_id, step_id }: SendKey,
  at: Date | null,
) =>
  db
    .updateTable('sends')
    .set({ look_at: at })
    .where('workspace_id', '=', workspace_id)
    .where('lead_id', '=', lead_id)
    .where('step_id', '=', step_id)
    .where('state', '=', 'uncertain')
    .execute()

/** Uncertain mails that wait for a person, answers of people too, oldest first. */
export async function listUncertain(db: Db, workspaceId: string, limit: number) {
  const { rows } = await sql<ShownSend>`
    select ${shownColumns}
    from sends s
    where s.workspace_id = ${workspaceId}::uuid and s.is_uncertain
    order by s.id
    limit ${limit}`.execute(db)
  return rows
}

export interface UndecidedSend extends ShownSend {
  mailbox_id: string
  /** Null: a mail of a campaign. */
  reply: ReplyContent | null
  /** Its lead has got a later step since, or is about to: this one never comes after that. */
  is_followed: boolean
}

export async function findUncertainSend(db: Db, workspaceId: string, id: string) {
  const { rows } = await sql<UndecidedSend>`
    select ${shownColumns}, s.mailbox_id, s.reply,
      s.kind = 'step' and (
        exists (
          select from leads l
          where l.workspace_id = ${workspaceId}::uuid and l.id = s.lead_id
            and s.step_id = any(l.sent_step_ids)
            and s.step_id <> l.sent_step_ids[cardinality(l.sent_step_ids)]
        ) or exists (
          select from sends o
          where o.workspace_id = ${workspaceId}::uuid and o.lead_id = s.lead_id
            and o.kind = 'step' and o.state in ('claimed', 'transmitting')
        )) as is_followed
    from sends s
    where s.workspace_id = ${workspaceId}::uuid and s.is_uncertain and s.id = ${id}::uuid`.execute(
    db,
  )
  return rows[0]
}

/** The mail may have arrived in spite of what a person says, and is answered where it came from. */
export const keepDoubted = (db: Db, { workspace_id, lead_id, step_id }: UndecidedSend) =>
  sql`
    update sends
    set doubted_mailbox_ids = array_append(doubted_mailbox_ids, mailbox_id),
      doubted_sent_at = coalesce(doubted_sent_at, timestamp_transmitting, timestamp_claimed)
    where workspace_id = ${workspace_id}::uuid and lead_id = ${lead_id}::uuid
      and step_id = ${step_id}::uuid`.execute(db)

/**
 * An answer to a mail proves that it arrived. By Message-ID, which all attempts at a step share: who
 * answers may name an earlier one. A reply that is uncertain has no message yet.
 *
 * @returns the replies of people among them
 */
export async function markArrived(db: Db, workspaceId: string, ids: string[], at: Date) {
  const { rows } = await sql<SettledReply>`
    update sends
    set state = 'sent', look_at = null, error_stage = null, error_code = null,
      error_message = null, timestamp_settled = ${at}::timestamptz
    where workspace_id = ${workspaceId}::uuid and is_uncertain
      and (id = any(${ids}::uuid[]) or message_id in (
        select m.message_id from messages m
        where m.workspace_id = ${workspaceId}::uuid and m.id = any(${ids}::uuid[])))
    returning workspace_id, lead_id, step_id, id, campaign_id, mailbox_id, message_id, state,
      timestamp_transmitting, reply`.execute(db)
  return rows.filter(({ reply }) => reply !== null)
}
