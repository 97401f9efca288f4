import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { maxId } from '../../kernel/ids.ts'
import type { SendKey, SendState } from './ledger.ts'

/** A send as operators see it. */
export interface ShownSend extends SendKey {
  id: string
  campaign_id: string
  campaign_name: string
  lead_email: string | null
  mailbox: string | null
  /** The mail came back for good, which stopped its lead. */
  bounced: boolean
  /** Null: a person's answer. */
  step: number | null
  variant: number | null
  state: SendState
  attempt: number
  message_id: string
  subject: string | null
  error_code: string | null
  error_message: string | null
  timestamp_claimed: Date
  timestamp_transmitting: Date | null
  timestamp_settled: Date | null
}

/** Of a row `s` of the ledger. */
export const shownColumns = sql`
  s.workspace_id, s.id, s.lead_id, s.step_id, s.campaign_id, s.step, s.variant, s.state, s.attempt,
  s.message_id, s.subject, s.error_code, s.error_message, s.timestamp_claimed,
  s.timestamp_transmitting, s.timestamp_settled,
  (select c.name from campaigns c
    where c.workspace_id = s.workspace_id and c.id = s.campaign_id) as campaign_name,
  (select l.email from leads l
    where l.workspace_id = s.workspace_id and l.id = s.lead_id) as lead_email,
  coalesce((select m.address from mailboxes m
    where m.workspace_id = s.workspace_id and m.id = s.mailbox_id),
    (select r.address from removed_mailboxes r
    where r.workspace_id = s.workspace_id and r.id = s.mailbox_id)) as mailbox,
  coalesce((select l.stop_reason = 'bounced'
      and l.outcomes_counted #>> '{bounced,step_id}' = s.step_id::text from leads l
    where l.workspace_id = s.workspace_id and l.id = s.lead_id), false) as bounced`

export interface SendFilter {
  campaignId: string | null
  state: string | null
}

/** Newest first: the first so many of each campaign, by the ledger's index of those. */
export async function listSends(
  db: Db,
  workspaceId: string,
  { campaignId, state }: SendFilter,
  limit: number,
  before = maxId,
) {
  const { rows } = await sql<ShownSend>`
    select ${shownColumns}
    from campaigns k
    cross join lateral (
      select * from sends s
      where s.workspace_id = ${workspaceId}::uuid and s.campaign_id = k.id and s.kind = 'step'
        and (${state}::text is null or s.state = ${state})
        and s.id < ${before}::uuid
      order by s.id desc
      limit ${limit}
    ) s
    where k.workspace_id = ${workspaceId}::uuid
      and (${campaignId}::uuid is null or k.id = ${campaignId}::uuid)
    order by s.id desc
    limit ${limit}`.execute(db)
  return rows
}
