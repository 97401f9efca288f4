import { sql } from 'kysely'
import type { AnyDb, Db } from '../../kernel/db/db.ts'
import { prepared, preparedForAny } from '../../kernel/db/prepared.ts'
import type { Token } from './token.ts'

/** A mail that is on its way or has arrived, as events tell of it. */
export interface SentMail {
  message_id: string
  subject: string
  step: number
  variant: number
  step_id: string
  variant_id: string
  /** Address. */
  mailbox: string
  sent_at: Date | null
  /** Of the lead. */
  email_folded: string
}

type Visited = [workspaceId: string, leadId: string, stepId: string, kind: string, before: Date]

const lockSent = prepared<Visited, SentMail>(
  'lock_sent_mail',
  `select s.message_id, coalesce(s.subject, '') as subject, s.step, s.variant, s.step_id, s.variant_id,
     coalesce(m.address, '') as mailbox,
     coalesce(s.timestamp_settled, s.timestamp_transmitting) as sent_at, l.email_folded
   from sends s
   join leads l on l.workspace_id = $1 and l.id = s.lead_id
   left join mailboxes m on m.workspace_id = $1 and m.id = s.mailbox_id
   where s.workspace_id = $1 and s.lead_id = $2 and s.step_id = $3
     and s.state in ('transmitting', 'sent', 'uncertain')
     and coalesce(case $4 when 'open' then l.timestamp_last_open else l.timestamp_last_click end,
       '-infinity') <= $5
   for update of l`,
)

/**
 * Its lead is locked: of two visits at a moment the second one sees the first, and finds nothing.
 *
 * @param visit nothing is found, and none waited for, of a lead whose last one was after `before`
 */
export const lockSentMail = async (
  db: Db,
  { workspaceId, leadId, stepId }: Omit<Token, 'kind' | 'text'>,
  visit: { kind: 'open' | 'click'; before: Date },
) => (await lockSent(db, workspaceId, leadId, stepId, visit.kind, visit.before))[0]

const selectLead = prepared<[string, string, string], { id: string }>(
  'find_lead_to_unsubscribe',
  `select id from leads
   where workspace_id = $1 and email_folded = $3
   order by (id = $2) desc, id
   limit 1`,
)

/** The lead itself, or when it is gone another one with its address. */
export const findLeadOf = async (db: Db, workspaceId: string, leadId: string, folded: string) =>
  (await selectLead(db, workspaceId, leadId, folded))[0]

// A reason that is final stays what it is when its lead unsubscribes as well.
const selectSubscribed = prepared<[string, string], { id: string }>(
  'find_lead_not_unsubscribed',
  `select id from leads
   where workspace_id = $1 and email_folded = $2
     and (status <> 'unsubscribed' or stop_reason is null
       or stop_reason not in ('unsubscribed', 'bounced', 'blocked'))
   order by id
   limit 1`,
)

export const hasLeadToUnsubscribe = async (db: Db, workspaceId: string, folded: string) =>
  (await selectSubscribed(db, workspaceId, folded)).length > 0

export const insertWaiting = (db: AnyDb, token: string, timestamp_created: Date) =>
  db
    .insertInto('waiting_unsubscribes')
    .values({ token, timestamp_created })
    .onConflict((conflict) => conflict.doNothing())
    .execute()

/** The next one behind a token. */
export const findWaiting = preparedForAny<[string], { token: string }>(
  'find_waiting_unsubscribe',
  `select token
   from waiting_unsubscribes
   where token > $1
   order by token
   limit 1`,
)

export const deleteWaiting = (db: AnyDb, token: string) =>
  db.deleteFrom('waiting_unsubscribes').where('token', '=', token).execute()

/** How many unsubscribes wait for their workspaces, and since when. */
export const countWaiting = (db: AnyDb) =>
  db
    .selectFrom('waiting_unsubscribes')
    .select([
      sql<number>`count(*)::integer`.as('count'),
      sql<Date | null>`min(timestamp_created)`.as('oldest'),
    ])
    .executeTakeFirstOrThrow()
