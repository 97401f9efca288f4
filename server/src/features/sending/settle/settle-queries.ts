import { sql } from 'kysely'
import { column } from '../../../kernel/db/column.ts'
import type { AnyDb, Db } from '../../../kernel/db/db.ts'
import { preparedForBatch } from '../../../kernel/db/prepared.ts'
import type { LaneKey } from '../../mailbox-lanes/index.ts'
import type { SendKey, SendState } from '../ledger.ts'
import type { ReplyContent } from '../replies/reply-queries.ts'
import type { SendError } from '../transmit/outcome.ts'

// The sender's writers merge the results of lanes of many workspaces: every statement here joins
// workspace_id to its own unnest parameter, and says so in its first comment.

export interface LedgerRow extends SendKey {
  id: string
  campaign_id: string
  mailbox_id: string
  step: number
  variant: number
  variant_id: string
  message_id: string
  subject: string | null
  starts_thread: boolean
  state: SendState
  /** What a person answers; null: a step of the campaign. */
  reply: ReplyContent | null
  is_new: boolean
  campaign_day: string
  mailbox_day: string
  timestamp_transmitting: Date | null
}

const ledgerColumns = `s.workspace_id, s.lead_id, s.step_id, s.id, s.campaign_id, s.mailbox_id,
  s.step, s.variant, s.variant_id, s.message_id, s.subject, s.starts_thread, s.state, s.reply,
  s.is_new, s.campaign_day, s.mailbox_day, s.timestamp_transmitting`

const selectForUpdate = preparedForBatch<string[][], LedgerRow>(
  'lock_sends',
  `/* batch */
   select ${ledgerColumns}
   from sends s
   join unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[])
     as k (workspace_id, lead_id, step_id, id)
     on s.workspace_id = k.workspace_id and s.lead_id = k.lead_id and s.step_id = k.step_id
       and s.id = k.id
   order by s.workspace_id, s.lead_id, s.step_id
   for update of s`,
)

/** The attempts as they stand; nobody else settles them until the transaction ends. */
export const lockSends = (db: AnyDb, attempts: (SendKey & { id: string })[]) =>
  selectForUpdate(
    db,
    column(attempts, 'workspace_id'),
    column(attempts, 'lead_id'),
    column(attempts, 'step_id'),
    column(attempts, 'id'),
  )

const selectMailboxesOfLeads = preparedForBatch<string[][], LaneKey>(
  'find_mailboxes_of_leads',
  `/* batch */
   select l.workspace_id, l.mailbox_id
   from unnest($1::uuid[], $2::uuid[]) as k (workspace_id, lead_id)
   join leads l on l.workspace_id = k.workspace_id and l.id = k.lead_id
   where l.mailbox_id is not null`,
)

/** The mailboxes that the leads' threads are in. */
export const findMailboxesOfLeads = (
  db: AnyDb,
  leads: Pick<SendKey, 'workspace_id' | 'lead_id'>[],
) => selectMailboxesOfLeads(db, column(leads, 'workspace_id'), column(leads, 'lead_id'))

export interface LastSent {
  workspace_id: string
  lead_id: string
  sent_at: Date
}

const selectLastSent = preparedForBatch<string[][], LastSent>(
  'find_last_sent',
  `/* batch */
   select k.workspace_id, k.lead_id, max(coalesce(s.timestamp_transmitting, s.timestamp_settled)) as sent_at
   from unnest($1::uuid[], $2::uuid[]) as k (workspace_id, lead_id)
   join sends s on s.workspace_id = k.workspace_id and s.lead_id = k.lead_id
     and s.kind = 'step' and s.state in ('sent', 'uncertain')
   group by k.workspace_id, k.lead_id`,
)

/**
 * When these leads got their last mail, as far as the ledger goes back, however late its result was known;
 * who got none is missing.
 */
export const findLastSent = (db: AnyDb, leads: Pick<SendKey, 'workspace_id' | 'lead_id'>[]) =>
  selectLastSent(db, column(leads, 'workspace_id'), column(leads, 'lead_id'))

const updateSent = preparedForBatch<[...string[][], Date], LedgerRow>(
  'settle_sent',
  `/* batch */
   update sends s
   set state = 'sent', timestamp_settled = $5::timestamptz
   from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[])
     as k (workspace_id, lead_id, step_id, id)
   where s.workspace_id = k.workspace_id and s.lead_id = k.lead_id and s.step_id = k.step_id
     and s.id = k.id and s.state = 'transmitting'
   returning ${ledgerColumns}`,
)

/** What nearly all attempts come to, at one go: from `transmitting` to `sent`. Others stay. */
export const settleSent = (db: AnyDb, attempts: (SendKey & { id: string })[], now: Date) =>
  updateSent(
    db,
    column(attempts, 'workspace_id'),
    column(attempts, 'lead_id'),
    column(attempts, 'step_id'),
    column(attempts, 'id'),
    now,
  )

export interface SettledSend extends SendKey {
  state: SendState
  error_stage: string | null
  error_code: string | null
  error_message: string | null
  look_at: Date | null
}

const update = preparedForBatch<unknown[], never>(
  'update_sends',
  `/* batch */
   update sends s
   set state = k.state, error_stage = k.error_stage, error_code = k.error_code,
     error_message = k.error_message, look_at = k.look_at, timestamp_settled = $9::timestamptz
   from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[],
     $8::timestamptz[])
     as k (workspace_id, lead_id, step_id, state, error_stage, error_code, error_message, look_at)
   where s.workspace_id = k.workspace_id and s.lead_id = k.lead_id and s.step_id = k.step_id`,
)

export const updateSends = (db: AnyDb, sends: SettledSend[], now: Date) =>
  update(
    db,
    column(sends, 'workspace_id'),
    column(sends, 'lead_id'),
    column(sends, 'step_id'),
    column(sends, 'state'),
    column(sends, 'error_stage'),
    column(sends, 'error_code'),
    column(sends, 'error_message'),
    column(sends, 'look_at'),
    now,
  )

/** An attempt that nobody has settled; nothing: there was none. */
export async function setSendAside(
  db: Db,
  { workspace_id, lead_id, step_id, id }: SendKey & { id: string },
  { stage, code, message }: SendError,
  now: Date,
): Promise<LedgerRow | undefined> {
  const { rows } = await sql<LedgerRow>`
    update sends s
    set state = 'uncertain', look_at = null, timestamp_settled = ${now}::timestamptz,
      error_stage = ${stage}, error_code = ${code}, error_message = ${message}
    where s.workspace_id = ${workspace_id}::uuid and s.lead_id = ${lead_id}::uuid
      and s.step_id = ${step_id}::uuid and s.id = ${id}::uuid and s.is_open
    returning ${sql.raw(ledgerColumns)}`.execute(db)
  return rows[0]
}

const selectSentSteps = preparedForBatch<string[][], { lead_id: string; step_ids: string[] }>(
  'find_sent_steps',
  `/* batch */
   select s.lead_id, array_agg(s.step_id order by s.timestamp_transmitting, s.id) as step_ids
   from sends s
   join unnest($1::uuid[], $2::uuid[]) as k (workspace_id, lead_id)
     on s.workspace_id = k.workspace_id and s.lead_id = k.lead_id
   where s.kind = 'step' and s.state in ('sent', 'uncertain')
   group by s.lead_id`,
)

/** The steps that each lead was sent, in that order. */
export async function findSentSteps(db: AnyDb, leads: { workspace_id: string; lead_id: string }[]) {
  const rows = await selectSentSteps(db, column(leads, 'workspace_id'), column(leads, 'lead_id'))
  return new Map(rows.map((row) => [row.lead_id, row.step_ids]))
}
