import { column } from '../../../kernel/db/column.ts'
import type { AnyDb, Db } from '../../../kernel/db/db.ts'
import { prepared, preparedForBatch } from '../../../kernel/db/prepared.ts'
import { isAboutToday } from '../../daily-counts/index.ts'
import { suppressed } from '../claim/eligibility.ts'
import type { CampaignVersion } from './campaign-queries.ts'

// Lanes of many workspaces look for their work together: workspace_id comes from a list. What is not
// due is not read, however much of it there is.

export interface ActiveCampaign extends CampaignVersion {
  /** Places of the senders that it names, from 1. */
  positions: number[]
  /** What it sent yesterday, today and tomorrow by UTC: one of them is the campaign's own day. */
  days: { day: string; sent: number; new_leads: number }[] | null
}

interface Sender {
  workspace_id: string
  address: string
}

// Its senders are read once for each campaign, and not for each mailbox that asks.
const selectActive = preparedForBatch<[...string[][], Date], ActiveCampaign>(
  'find_active_campaigns',
  `/* batch */
   with named as materialized (
     select c.workspace_id, c.id, c.timestamp_updated as version, a.address
     from unnest($1::uuid[]) as w (workspace_id)
     join campaigns c on c.workspace_id = w.workspace_id and c.status = 'active'
     cross join unnest(c.email_list) as a (address)
   )
   select n.workspace_id, n.id, n.version, json_agg(k.position) as positions,
     (
       select json_agg(json_build_object('day', d.day, 'sent', d.sent, 'new_leads', d.new_leads))
       from campaign_days d
       where d.workspace_id = n.workspace_id and d.campaign_id = n.id
         and ${isAboutToday('d.day', '$4')}
     ) as days
   from unnest($2::uuid[], $3::text[]) with ordinality as k (workspace_id, address, position)
   join named n on n.workspace_id = k.workspace_id and n.address = k.address
   group by n.workspace_id, n.id, n.version
   order by n.workspace_id, n.id`,
)

/** The campaigns that send from one of these, in id order. */
export const findActiveCampaigns = (db: AnyDb, senders: Sender[], now: Date) =>
  selectActive(
    db,
    [...new Set(column(senders, 'workspace_id'))],
    column(senders, 'workspace_id'),
    column(senders, 'address'),
    now,
  )

export interface DueLead {
  /** Place of its source, from 1. */
  position: number
  id: string
  campaign_id: string
  mailbox_id: string | null
  current_step: number
  timestamp_last_contact: Date | null
  timestamp_created: Date
  timestamp_next_send: Date
  suppressed: boolean
  sent_step_ids: string[]
  /** A mail to it is under way. */
  is_open: boolean
}

// The condition names states: asked for is_open, the planner may walk through all open leads of the workspace.
const dueLead = `
  l.id, l.campaign_id, l.mailbox_id, l.current_step, l.timestamp_last_contact,
  l.timestamp_created, l.timestamp_next_send, l.sent_step_ids,
  ${suppressed} as suppressed,
  exists (
    select from sends s
    where s.workspace_id = k.workspace_id and s.lead_id = l.id
      and s.state in ('claimed', 'transmitting')
    offset 0
  ) as is_open`

export interface FollowUpSource {
  workspace_id: string
  mailbox_id: string
  campaign_id: string
  /** At most so many. */
  limit: number
}

const selectFollowUps = preparedForBatch<unknown[], DueLead>(
  'find_follow_ups',
  `/* batch */
   select k.position::int as position, ${dueLead}
   from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::integer[]) with ordinality
     as k (workspace_id, mailbox_id, campaign_id, most, position)
   join lateral (
     select * from leads l
     where l.workspace_id = k.workspace_id and l.mailbox_id = k.mailbox_id
       and l.campaign_id = k.campaign_id and l.sending_state = 'active'
       and l.timestamp_next_send <= $5::timestamptz
     order by l.timestamp_next_send, l.id
     limit k.most
   ) l on true
   order by k.position, l.timestamp_next_send, l.id`,
)

/** Leads in the mailbox's own threads whose next step is due, first due first. */
export const findFollowUps = (db: AnyDb, sources: FollowUpSource[], now: Date) =>
  selectFollowUps(
    db,
    column(sources, 'workspace_id'),
    column(sources, 'mailbox_id'),
    column(sources, 'campaign_id'),
    column(sources, 'limit'),
    now,
  )

export interface PendingSource {
  workspace_id: string
  campaign_id: string
  /** What was read already ends here. */
  after_due: Date
  after_id: string
  limit: number
}

const selectPending = preparedForBatch<unknown[], DueLead>(
  'find_pending_leads',
  `/* batch */
   select k.position::int as position, ${dueLead}
   from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::uuid[], $5::integer[]) with ordinality
     as k (workspace_id, campaign_id, after_due, after_id, most, position)
   join lateral (
     select * from leads l
     where l.workspace_id = k.workspace_id and l.campaign_id = k.campaign_id
       and l.sending_state = 'pending'
       and (l.timestamp_next_send, l.id) > (k.after_due, k.after_id)
       and l.timestamp_next_send <= $6::timestamptz
     order by l.timestamp_next_send, l.id
     limit k.most
   ) l on true
   order by k.position, l.timestamp_next_send, l.id`,
)

/** Leads of the campaign that are due to be written to for the first time. */
export const findPending = (db: AnyDb, sources: PendingSource[], now: Date) =>
  selectPending(
    db,
    column(sources, 'workspace_id'),
    column(sources, 'campaign_id'),
    column(sources, 'after_due'),
    column(sources, 'after_id'),
    column(sources, 'limit'),
    now,
  )

const selectSuppressed = prepared<[string, string[]], { id: string }>(
  'find_suppressed_leads',
  `select l.id
   from (select $1::uuid as workspace_id) k
   join leads l on l.workspace_id = k.workspace_id and l.id = any($2::uuid[])
   where ${suppressed}`,
)

/** Which of these leads nobody may write to now, whatever was read of them before. */
export const findSuppressedLeads = async (db: Db, workspaceId: string, ids: string[]) =>
  new Set((await selectSuppressed(db, workspaceId, ids)).map(({ id }) => id))

export interface NextDue {
  position: number
  due_at: Date
}

const selectNextDue = preparedForBatch<unknown[], NextDue>(
  'find_next_due',
  `/* batch */
   select k.position::int as position, least(f.due_at, p.due_at) as due_at
   from unnest($1::uuid[], $2::uuid[], $3::uuid[]) with ordinality
     as k (workspace_id, mailbox_id, campaign_id, position)
   left join lateral (
     select l.timestamp_next_send as due_at from leads l
     where l.workspace_id = k.workspace_id and l.mailbox_id = k.mailbox_id
       and l.campaign_id = k.campaign_id and l.sending_state = 'active'
       and l.timestamp_next_send > $4::timestamptz
     order by l.timestamp_next_send, l.id
     limit 1
   ) f on true
   left join lateral (
     select l.timestamp_next_send as due_at from leads l
     where l.workspace_id = k.workspace_id and l.campaign_id = k.campaign_id
       and l.sending_state = 'pending' and l.timestamp_next_send > $4::timestamptz
     order by l.timestamp_next_send, l.id
     limit 1
   ) p on true
   where f.due_at is not null or p.due_at is not null
   order by k.position`,
)

/** When the first lead of each source falls due that is not due yet. */
export const findNextDue = (db: AnyDb, sources: Omit<FollowUpSource, 'limit'>[], now: Date) =>
  selectNextDue(
    db,
    column(sources, 'workspace_id'),
    column(sources, 'mailbox_id'),
    column(sources, 'campaign_id'),
    now,
  )
