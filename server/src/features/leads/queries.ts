import { sql } from 'kysely'
import { timestampArray } from '../../kernel/db/binary-array.ts'
import { columnOf } from '../../kernel/db/column.ts'
import type { Db } from '../../kernel/db/db.ts'
import { prepared } from '../../kernel/db/prepared.ts'
import { type StepCount, stepDaysCounted } from '../daily-counts/index.ts'
import { askedNobody } from './asked-nobody.ts'
import type { LeadState, LockedLead, StoredLead } from './record.ts'

/** The columns of a record, in its order, and those that only rules look at. */
const storedColumns = `l.id, l.campaign_id, l.email, l.first_name, l.last_name, l.company_name,
  l.company_domain, l.job_title, l.phone, l.website, l.personalization, l.custom_variables,
  l.status, l.sending_state, l.stop_reason, l.skip_reason, l.current_step, l.last_contacted_from,
  l.email_open_count, l.email_click_count, l.email_reply_count, l.timestamp_last_contact,
  l.timestamp_last_open, l.timestamp_last_reply, l.timestamp_next_send, l.workspace_id,
  l.timestamp_created, l.timestamp_updated, l.email_folded, l.label_id, l.timestamp_last_click,
  l.postponed_until, l.mailbox_id, l.thread_subject, l.sent_step_ids, l.company,
  l.outcomes_counted, l.stopped_from, l.moved_from`

const selectLead = prepared<[string, string, string], StoredLead>(
  'find_lead',
  `select ${storedColumns} from leads l
   where l.workspace_id = $1 and l.email_folded = $2 and l.campaign_id = $3`,
)

export const findLead = async (db: Db, workspaceId: string, campaignId: string, folded: string) =>
  (await selectLead(db, workspaceId, folded, campaignId))[0]

export const findLeadById = async (db: Db, workspaceId: string, id: string) => {
  const { rows } = await sql<StoredLead>`
    select ${sql.raw(storedColumns)} from leads l
    where l.workspace_id = ${workspaceId}::uuid and l.id = ${id}::uuid`.execute(db)
  return rows[0]
}

const lockedColumns = `${storedColumns}, c.name as campaign_name,
  c.timestamp_updated as campaign_updated,
  c.campaign_schedule #>> '{schedules,0,timezone}' as campaign_zone, c.stop_on_reply,
  c.stop_on_auto_reply, c.stop_for_company, c.leads_finish_at, (
    select s.variant_id from sends s
    where s.workspace_id = $1 and s.lead_id = l.id
      and s.step_id = l.sent_step_ids[cardinality(l.sent_step_ids)]
  ) as last_variant_id`

/** As they are now, in the order of the ids. */
export const listLeadsById = prepared<[string, string[]], LockedLead>(
  'list_leads_by_id',
  `select ${lockedColumns}
   from leads l
   join campaigns c on c.workspace_id = $1 and c.id = l.campaign_id
   where l.workspace_id = $1 and l.id = any(array(select unnest($2::uuid[])))
   order by l.id`,
)

const lockFound = (ids: string) => `
  select ${lockedColumns}
  from leads l
  join lateral (
    select * from campaigns c where c.workspace_id = $1 and c.id = l.campaign_id order by c.id limit 1
  ) c on true
  where l.workspace_id = $1 and l.id = any(array(${ids}))
  order by l.id
  for update of l`

// Found by address first and locked by id, and campaigns looked up for what was found: in a table
// without statistics the planner would else follow the order that is asked for, or the campaign, and
// walk the leads of the whole workspace.
const lockOne = prepared<[string, string, string], LockedLead>(
  'lock_lead',
  lockFound(`
    select a.id from leads a
    where a.workspace_id = $1 and a.email_folded = $2 and a.campaign_id = $3`),
)

/** Nobody else changes the lead until the transaction ends. */
export const lockLead = async (db: Db, workspaceId: string, campaignId: string, folded: string) =>
  (await lockOne(db, workspaceId, folded, campaignId))[0]

/**
 * In id order, as everybody who locks several leads: nobody waits in a ring. Each by its own key: as
 * one list, a plan made while there were few leads walks those of the whole workspace.
 */
export const lockLeads = prepared<[string, string[]], LockedLead>(
  'lock_leads',
  `select ${lockedColumns}
   from (select id from unnest($2::uuid[]) as ids (id) order by id) k
   join lateral (
     select * from leads l where l.workspace_id = $1 and l.id = k.id order by l.id limit 1
   ) l on true
   join lateral (
     select * from campaigns c where c.workspace_id = $1 and c.id = l.campaign_id order by c.id limit 1
   ) c on true
   order by l.id
   for update of l`,
)

/**
 * Sets all that may change of leads that are locked already, and counts what it means for the days of
 * their campaigns. Counts that are 0 are not sent.
 */
export const updateStates = (
  db: Db,
  workspaceId: string,
  leads: ({ id: string; timestamp_updated: Date } & LeadState)[],
  counts: StepCount[],
) =>
  sql`
    ${counts.length === 0 ? sql`` : sql`with ${stepDaysCounted(workspaceId, counts)}`}
    update leads l
    set status = batch.status, label_id = batch.label_id, sending_state = batch.sending_state,
      stop_reason = batch.stop_reason, skip_reason = batch.skip_reason,
      current_step = batch.current_step, last_contacted_from = batch.last_contacted_from,
      email_open_count = coalesce(batch.email_open_count, 0),
      email_click_count = coalesce(batch.email_click_count, 0),
      email_reply_count = coalesce(batch.email_reply_count, 0),
      timestamp_last_contact = batch.timestamp_last_contact,
      timestamp_last_open = batch.timestamp_last_open,
      timestamp_last_click = batch.timestamp_last_click,
      timestamp_last_reply = batch.timestamp_last_reply,
      timestamp_next_send = batch.timestamp_next_send, postponed_until = batch.postponed_until,
      mailbox_id = batch.mailbox_id, thread_subject = batch.thread_subject,
      sent_step_ids = string_to_array(batch.sent_step_ids, ',')::uuid[], company = batch.company,
      outcomes_counted = batch.outcomes_counted::jsonb, stopped_from = batch.stopped_from,
      timestamp_updated = batch.timestamp_updated
    from unnest(
      ${columnOf(leads, (lead) => lead.id)}::uuid[],
      ${columnOf(leads, (lead) => lead.status)}::text[],
      ${columnOf(leads, (lead) => lead.label_id)}::uuid[],
      ${columnOf(leads, (lead) => lead.sending_state)}::text[],
      ${columnOf(leads, (lead) => lead.stop_reason)}::text[],
      ${columnOf(leads, (lead) => lead.skip_reason)}::text[],
      ${columnOf(leads, (lead) => lead.current_step)}::integer[],
      ${columnOf(leads, (lead) => lead.last_contacted_from)}::text[],
      ${columnOf(leads, (lead) => lead.email_open_count || null)}::integer[],
      ${columnOf(leads, (lead) => lead.email_click_count || null)}::integer[],
      ${columnOf(leads, (lead) => lead.email_reply_count || null)}::integer[],
      ${timestampArray(leads.map((lead) => lead.timestamp_last_contact))}::timestamptz[],
      ${timestampArray(leads.map((lead) => lead.timestamp_last_open))}::timestamptz[],
      ${timestampArray(leads.map((lead) => lead.timestamp_last_click))}::timestamptz[],
      ${timestampArray(leads.map((lead) => lead.timestamp_last_reply))}::timestamptz[],
      ${timestampArray(leads.map((lead) => lead.timestamp_next_send))}::timestamptz[],
      ${timestampArray(leads.map((lead) => lead.postponed_until))}::timestamptz[],
      ${columnOf(leads, (lead) => lead.mailbox_id)}::uuid[],
      ${columnOf(leads, (lead) => lead.thread_subject)}::text[],
      ${columnOf(leads, (lead) => lead.sent_step_ids.join())}::text[],
      ${columnOf(leads, (lead) => lead.company)}::text[],
      ${columnOf(leads, ({ outcomes_counted: counted }) => counted && JSON.stringify(counted))}::text[],
      ${columnOf(leads, (lead) => lead.stopped_from)}::text[],
      ${timestampArray(leads.map((lead) => lead.timestamp_updated))}::timestamptz[]
    ) as batch (id, status, label_id, sending_state, stop_reason, skip_reason, current_step,
      last_contacted_from, email_open_count, email_click_count, email_reply_count,
      timestamp_last_contact, timestamp_last_open, timestamp_last_click, timestamp_last_reply,
      timestamp_next_send, postponed_until, mailbox_id, thread_subject, sent_step_ids, company,
      outcomes_counted, stopped_from, timestamp_updated)
    where l.workspace_id = ${workspaceId}::uuid and l.id = batch.id
      and l.id = any(array(select unnest(${leads.map((lead) => lead.id)}::uuid[])))`.execute(db)

/** Leads of an address. */
export const findLeadsAt = (db: Db, workspaceId: string, folded: string) =>
  db
    .selectFrom('leads')
    .select(['id', 'campaign_id', 'status', 'stop_reason'])
    .where('workspace_id', '=', workspaceId)
    .where('email_folded', '=', folded)
    .orderBy('id')
    .execute()

/** Leads behind an id whose owners have not unsubscribed, in id order. */
export const listNotUnsubscribed = (db: Db, workspaceId: string, after: string, limit: number) =>
  db
    .selectFrom('leads')
    .select(['id', 'email_folded'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '>', after)
    .where('stop_reason', 'is distinct from', 'unsubscribed')
    .orderBy('id')
    .limit(limit)
    .execute()

/** Whether something was ever sent for a campaign, or came in, by what is known of it beside its leads. */
export async function haveHistory(db: Db, workspaceId: string, campaignId: string) {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
        select from sends s
        where s.workspace_id = ${workspaceId}::uuid and s.campaign_id = ${campaignId}::uuid
          and s.kind = 'step' and not (s.attempt = 1 and ${sql.raw(askedNobody)}))
      or exists (
        select from sends s
        where s.workspace_id = ${workspaceId}::uuid and s.campaign_id = ${campaignId}::uuid
          and s.kind = 'manual' and not (s.attempt = 1 and ${sql.raw(askedNobody)}))
      or exists (
        select from missing_marks m
        where m.workspace_id = ${workspaceId}::uuid and m.campaign_id = ${campaignId}::uuid)
      or exists (
        select from threads t
        where t.workspace_id = ${workspaceId}::uuid and t.campaign_id = ${campaignId}::uuid)
      as found`.execute(db)
  return rows[0]?.found === true
}

/** @returns whether one of them had got a mail */
export async function deleteLeadsOf(db: Db, workspaceId: string, campaignId: string) {
  const { rows } = await sql<{ contacted: boolean }>`
    with gone as (
      delete from leads
      where workspace_id = ${workspaceId}::uuid and campaign_id = ${campaignId}::uuid
      returning current_step
    )
    select exists (select from gone where current_step > 0) as contacted`.execute(db)
  return rows[0]?.contacted === true
}
