import { sql } from 'kysely'
import { column } from '../../../kernel/db/column.ts'
import type { Db } from '../../../kernel/db/db.ts'
import { prepared } from '../../../kernel/db/prepared.ts'
import { nilId } from '../../../kernel/ids.ts'
import { failedTemplate } from '../../campaigns/index.ts'
import type { StoredLead } from '../record.ts'
import type { Progress } from './next-send.ts'

export interface WalkedLead {
  /** Whose thread it is in; of one that nothing was sent to, the first id of all. */
  mailbox_id: string
  id: string
  timestamp_next_send: Date | '-infinity'
}

/**
 * The next leads in the order of `WalkedLead`: those that nothing was sent to, then the threads of one
 * mailbox after the other; those of removed mailboxes wait for them. They are read along the indexes
 * that they are written to anew, so that a lead may be met twice at most.
 */
const selectLeads = prepared<
  [
    workspaceId: string,
    campaignId: string,
    afterMailboxId: string,
    afterNext: Date | '-infinity',
    afterId: string,
    max: number,
  ],
  WalkedLead
>(
  'walk_leads',
  `(
     select $3::uuid as mailbox_id, id, timestamp_next_send
     from leads
     where workspace_id = $1 and campaign_id = $2 and sending_state = 'pending'
       and $3::uuid = '${nilId}'
       and (timestamp_next_send, id) > ($4::timestamptz, $5::uuid)
     order by timestamp_next_send, id
     limit $6
   )
   union all
   (
     select m.id as mailbox_id, l.id, l.timestamp_next_send
     from (
       select id from mailboxes where workspace_id = $1 and id >= $3
       union
       select id from removed_mailboxes where workspace_id = $1 and id >= $3
       order by id
     ) m
     cross join lateral (
       select l.id, l.timestamp_next_send
       from leads l
       where l.workspace_id = $1 and l.mailbox_id = m.id and l.campaign_id = $2
         and l.sending_state = 'active'
         and (m.id > $3 or (l.timestamp_next_send, l.id) > ($4::timestamptz, $5::uuid))
       order by l.timestamp_next_send, l.id
       limit $6
     ) l
     order by m.id, l.timestamp_next_send, l.id
     limit $6
   )
   order by mailbox_id, timestamp_next_send, id
   limit $6`,
)

export const beforeAllLeads: WalkedLead = {
  mailbox_id: nilId,
  id: nilId,
  timestamp_next_send: '-infinity',
}

export const walkLeads = (
  db: Db,
  workspaceId: string,
  campaignId: string,
  { mailbox_id, timestamp_next_send, id }: WalkedLead,
  max: number,
) => selectLeads(db, workspaceId, campaignId, mailbox_id, timestamp_next_send, id, max)

/** Leads whose mail could not be made, in id order from behind one. */
export const listFailedTemplates = async (
  db: Db,
  workspaceId: string,
  campaignId: string,
  after: string,
  max: number,
) => {
  const { rows } = await sql<{ id: string }>`
    select id from leads l
    where workspace_id = ${workspaceId}::uuid and campaign_id = ${campaignId}::uuid
      and ${sql.raw(failedTemplate('l'))} and id > ${after}::uuid
    order by id
    limit ${max}::integer`.execute(db)
  return column(rows, 'id')
}

export type RescheduledLead = Progress &
  Pick<StoredLead, 'id' | 'email_folded' | 'sending_state' | 'company'>

/** In id order; only what tells when their next mail is due. */
export const lockForRescheduling = prepared<[workspaceId: string, ids: string[]], RescheduledLead>(
  'lock_leads_to_reschedule',
  `select id, email_folded, sending_state, sent_step_ids, current_step, timestamp_created,
     timestamp_last_contact, timestamp_next_send, postponed_until, company
   from leads
   where workspace_id = $1 and id = any(array(select unnest($2::uuid[])))
   order by id
   for update`,
)

/** What the service works out by itself is no change of the lead to anybody: its time stays. */
export const updateRescheduled = (
  db: Db,
  workspaceId: string,
  leads: Pick<RescheduledLead, 'id' | 'timestamp_next_send' | 'company'>[],
) =>
  sql`
    update leads l
    set timestamp_next_send = batch.timestamp_next_send, company = batch.company
    from unnest(
      ${leads.map((lead) => lead.id)}::uuid[],
      ${leads.map((lead) => lead.timestamp_next_send)}::timestamptz[],
      ${leads.map((lead) => lead.company)}::text[]
    ) as batch (id, timestamp_next_send, company)
    where l.workspace_id = ${workspaceId}::uuid and l.id = batch.id
      and l.id = any(array(select unnest(${leads.map((lead) => lead.id)}::uuid[])))`.execute(db)
