import { type Insertable, sql, type Updateable } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { prepared } from '../../kernel/db/prepared.ts'
import type { Campaigns } from '../../kernel/db/types.gen.ts'
import type { CampaignSchedule } from './schedule/schedule-schema.ts'
import type { CampaignStatus, LeadCounts, PlainSettings } from './schema.ts'
import {
  factsColumn,
  failedTemplate,
  heldBackColumns,
  leadsWaitingColumn,
  type StoredFacts,
} from './sending-status/sending-facts.ts'
import type { CampaignSequence } from './sequence/sequence-schema.ts'

/** A campaign and its counters. */
export interface CampaignRow extends PlainSettings {
  id: string
  name: string
  status: CampaignStatus
  status_reason: string | null
  campaign_schedule: CampaignSchedule
  sequences: CampaignSequence[]
  workspace_id: string
  timestamp_created: Date
  timestamp_updated: Date
  /** Null, like the other counters, until the campaign has had a lead. */
  total: number | null
  active: number | null
  completed: number | null
  replied: number | null
  bounced: number | null
  unsubscribed: number | null
  /** Addresses that left `email_list`: leads may wait in their threads. */
  former_senders: string[]
}

export interface FactsRow {
  /** Null unless the campaign is active: nothing else depends on them. */
  sending_facts: StoredFacts | null
  leads_waiting: number
  leads_held_back: number
  held_back_for: string | null
}

const campaignColumns = ` c.id, c.name, c.status, c.status_reason, c.campaign_schedule, c.sequences, c.email_list,
    c.daily_limit, c.daily_max_leads, c.email_gap, c.random_wait_max, c.stop_on_reply,
    c.stop_on_auto_reply, c.stop_for_company, c.open_tracking, c.link_tracking, c.text_only,
    c.first_email_text_only, c.insert_unsubscribe_header, c.prioritize_new_leads, c.cc_list,
    c.bcc_list, c.expire_after_days, c.former_senders, c.workspace_id, c.timestamp_created, c.timestamp_updated,
    n.total, n.active, n.completed, n.replied, n.bounced, n.unsubscribed`

/** Where a campaign stands, without its texts: those may be a megabyte. */
export type StandingRow = Pick<
  CampaignRow,
  | 'id'
  | 'name'
  | 'status'
  | 'status_reason'
  | 'campaign_schedule'
  | 'daily_limit'
  | 'daily_max_leads'
  | 'timestamp_created'
  | 'timestamp_updated'
  | keyof LeadCounts
>

const standingColumns = `c.id, c.name, c.status, c.status_reason, c.campaign_schedule, c.daily_limit,
    c.daily_max_leads, c.timestamp_created, c.timestamp_updated,
    n.total, n.active, n.completed, n.replied, n.bounced, n.unsubscribed`

export interface SummaryRow extends StandingRow {
  steps: number
  mailboxes: number
}

const factsColumns = (now: string) =>
  `${factsColumn(now)}, ${leadsWaitingColumn}, ${heldBackColumns}`

const campaignTables = `
  from campaigns c
  left join campaign_lead_counts n on n.workspace_id = c.workspace_id and n.campaign_id = c.id`

/** Without the facts, most of whose subqueries are dear even where a draft has no use for them. */
export const readCampaign = prepared<[workspaceId: string, id: string], CampaignRow>(
  'read_campaign',
  `select ${campaignColumns} ${campaignTables}
  where c.workspace_id = $1 and c.id = $2`,
  { pipelined: true },
)

/** Of campaigns that are active or paused, with the state at that instant: facts belong to it alone. */
export const readFacts = prepared<
  [workspaceId: string, ids: string[], now: Date],
  FactsRow & Pick<CampaignRow, 'id' | 'status' | 'status_reason'>
>(
  'read_campaign_facts',
  `select c.id, c.status, c.status_reason, ${factsColumns('$3')}
  from campaigns c
  where c.workspace_id = $1 and c.id = any($2::uuid[])`,
)

const lock = prepared<[workspaceId: string, id: string], never>(
  'lock_campaign',
  `select from campaigns where workspace_id = $1 and id = $2 for update`,
)

/**
 * A campaign, and no other change of it until the transaction ends. It is read once it is locked: who
 * waited for somebody who adds leads must see them in its counters.
 */
export async function lockCampaign(db: Db, workspaceId: string, id: string) {
  await lock(db, workspaceId, id)
  return readCampaign(db, workspaceId, id)
}

type ListParameters = [
  workspaceId: string,
  before: string,
  status: string | null,
  search: string | null,
  limit: number,
]

/** Newest first from before `$2`; an absent filter is null. */
const listed = `${campaignTables}
  where c.workspace_id = $1 and c.id < $2
    and ($3::text is null or c.status = $3)
    and ($4::text is null or strpos(lower(c.name), lower($4)) > 0)
  order by c.id desc
  limit $5`

export const listCampaigns = prepared<ListParameters, CampaignRow>(
  'list_campaigns',
  `select ${campaignColumns} ${listed}`,
)

export const listSummaries = prepared<ListParameters, SummaryRow>(
  'list_campaign_summaries',
  `select ${standingColumns}, cardinality(c.email_list) as mailboxes,
    coalesce(jsonb_array_length(c.sequences #> '{0,steps}'), 0) as steps ${listed}`,
)

/** The newest alone: no further than anybody would look. */
export const listNames = prepared<
  [workspaceId: string],
  Pick<CampaignRow, 'id' | 'name' | 'status'>
>(
  'list_campaign_names',
  `select id, name, status from campaigns where workspace_id = $1 order by id desc limit 2000`,
)

/** Active campaigns and those that bounce protection has paused, the newest first, from before `$2`. */
export const listWatched = prepared<
  [workspaceId: string, before: string, limit: number],
  StandingRow
>(
  'list_watched_campaigns',
  `select ${standingColumns} ${campaignTables}
  where c.workspace_id = $1 and c.id < $2
    and (c.status = 'active' or c.status = 'paused' and c.status_reason = 'bounce_protection')
  order by c.id desc
  limit $3`,
)

/** Whether leads are held back because a mail of the campaign could not be made for them. */
export async function hasFailedTemplates(db: Db, workspaceId: string, id: string) {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from leads l
      where workspace_id = ${workspaceId}::uuid and campaign_id = ${id}::uuid
        and ${sql.raw(failedTemplate('l'))}
    ) as found`.execute(db)
  return rows[0]?.found === true
}

/** No lock of who completes the campaign or adds to it, only of who edits it. */
export const holdSteps = prepared<
  [workspaceId: string, id: string],
  Pick<CampaignRow, 'sequences' | 'campaign_schedule' | 'stop_for_company'> & {
    leads_finish_at: Date | null
  }
>(
  'hold_campaign_steps',
  `select sequences, campaign_schedule, stop_for_company, leads_finish_at
   from campaigns
   where workspace_id = $1 and id = $2
   for key share`,
)

/** Answers no row when the claim is no longer what it was. */
export const moveRescheduling = prepared<
  [workspaceId: string, id: string, seen: Date, due: Date],
  { id: string }
>(
  'move_rescheduling',
  `update campaigns
   set leads_follow_due = $4
   where workspace_id = $1 and id = $2 and leads_follow_due = $3
   returning id`,
)

/** Changes nothing when the claim is no longer what it was. */
export const endRescheduling = prepared<
  [workspaceId: string, id: string, seen: Date, begun: Date],
  never
>(
  'end_rescheduling',
  `update campaigns
   set leads_follow_due = case when leads_finish_at > $4 then leads_finish_at end
   where workspace_id = $1 and id = $2 and leads_follow_due = $3`,
)

export const insertCampaign = (db: Db, campaign: Insertable<Campaigns>) =>
  db.insertInto('campaigns').values(campaign).execute()

export const updateCampaign = (
  db: Db,
  workspaceId: string,
  id: string,
  changes: Updateable<Campaigns>,
) =>
  db
    .updateTable('campaigns')
    .set(changes)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute()

/** @returns of each of the campaigns, how many leads are left to write to */
const addToCounts = prepared<
  [string, string[], number[], number[], number[], number[], number[], number[]],
  { campaign_id: string; active: number }
>(
  'add_lead_counts',
  `insert into campaign_lead_counts as counts
     (workspace_id, campaign_id, total, active, completed, replied, bounced, unsubscribed)
   select $1::uuid, campaign_id, total, active, completed, replied, bounced, unsubscribed
   from unnest($2::uuid[], $3::integer[], $4::integer[], $5::integer[], $6::integer[],
     $7::integer[], $8::integer[])
     as batch (campaign_id, total, active, completed, replied, bounced, unsubscribed)
   order by campaign_id
   on conflict (workspace_id, campaign_id) do update set
     total = counts.total + excluded.total,
     active = counts.active + excluded.active,
     completed = counts.completed + excluded.completed,
     replied = counts.replied + excluded.replied,
     bounced = counts.bounced + excluded.bounced,
     unsubscribed = counts.unsubscribed + excluded.unsubscribed
   returning campaign_id, active`,
)

export const addLeadCounts = (
  db: Db,
  workspaceId: string,
  changes: (LeadCounts & { campaign_id: string })[],
) =>
  addToCounts(
    db,
    workspaceId,
    changes.map((by) => by.campaign_id),
    changes.map((by) => by.total),
    changes.map((by) => by.active),
    changes.map((by) => by.completed),
    changes.map((by) => by.replied),
    changes.map((by) => by.bounced),
    changes.map((by) => by.unsubscribed),
  )

export const lockLeadCounts = prepared<[string, string[]], { campaign_id: string }>(
  'lock_lead_counts',
  `select campaign_id from campaign_lead_counts
   where workspace_id = $1 and campaign_id = any(array(select unnest($2::uuid[])))
   order by campaign_id
   for update`,
)

/**
 * Answers no row for a campaign that is not `from`, or that has no leads or not as many to write to as it
 * must have. Its version is a new one, as `laterThan` makes it.
 */
export const moveStatus = prepared<
  [
    workspaceId: string,
    id: string,
    from: CampaignStatus,
    to: CampaignStatus,
    reason: string | null,
    leadsActive: number | null,
    at: Date,
  ],
  { id: string }
>(
  'move_campaign_status',
  `update campaigns set status = $4, status_reason = $5,
     timestamp_updated = greatest($7, timestamp_updated + interval '1 millisecond')
   where workspace_id = $1 and id = $2 and status = $3
     and ($6::integer is null or exists (
       select from campaign_lead_counts
       where workspace_id = $1 and campaign_id = $2 and total > 0 and active = $6))
   returning id`,
)

/** The campaign is locked by now, and its leads are deleted. */
export async function deleteCampaign(db: Db, workspaceId: string, id: string) {
  await db
    .deleteFrom('campaign_lead_counts')
    .where('workspace_id', '=', workspaceId)
    .where('campaign_id', '=', id)
    .execute()
  await db
    .deleteFrom('campaigns')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('status', '<>', 'active')
    .execute()
}

/** Leads in the threads of a mailbox that is no sender of theirs are counted as waiting, once they go on. */
export const addFormerSender = (db: Db, workspaceId: string, ids: string[], address: string) =>
  sql`
    update campaigns
    set former_senders = former_senders || ${address}::text
    where workspace_id = ${workspaceId}::uuid and id = any(${ids}::uuid[])
      and ${address}::text <> all(email_list || former_senders)`.execute(db)
