import { column } from '../../../kernel/db/column.ts'
import type { AnyDb } from '../../../kernel/db/db.ts'
import { preparedForBatch } from '../../../kernel/db/prepared.ts'
import { isAboutToday } from '../../daily-counts/index.ts'
import type { LaneKey, OwnedLane } from '../../mailbox-lanes/index.ts'
import { mayFollowUp } from '../../mailboxes/index.ts'
import { mayStillLeave, type SendState } from '../ledger.ts'

// Lanes of many workspaces are looked after together: workspace_id comes from a list.

export interface LaneRow extends LaneKey {
  seq: string
  token: string
  next_send_at: Date | null
  last_sent_at: Date | null
  last_campaign_id: string | null
  failures: number
  not_before: Date | null
  plan_api: boolean
  /** Its workspace goes to another database, or has gone there. */
  is_moving: boolean
  /** Null, like everything below: the mailbox was removed. */
  address: string | null
  /** Another one with each change of settings or status; readings and access tokens leave it alone. */
  mailbox_version: Date
  display_name: string | null
  signature: string | null
  status: 'connected' | 'error' | 'paused'
  timezone: string | null
  daily_limit: number
  gap_seconds: number
  /** A copy of what it sends goes to its Sent folder. */
  saves_sent: boolean
  sends_locally: boolean
  /** A person's reply waits to be sent from it. */
  has_reply: boolean
  /** Follow-ups may leave it. */
  is_read: boolean
  ramp_up_start: number | null
  ramp_up_step: number | null
  ramp_up_from: string | null
  /** What it sent yesterday, today and tomorrow by UTC: one of them is the mailbox's own day. */
  days: { day: string; sent: number }[] | null
}

const selectLanes = preparedForBatch<[...string[][], Date, Date], LaneRow>(
  'read_lanes',
  `/* batch */
   select l.workspace_id, l.mailbox_id, l.seq, l.token, l.next_send_at, l.last_sent_at,
     l.last_campaign_id,
     l.failures, l.not_before, w.plan_api, w.is_moving, m.address, m.timestamp_updated as mailbox_version,
     m.display_name, m.signature, m.status, m.timezone, m.daily_limit, m.gap_seconds,
     coalesce(m.save_sent, not m.provider_saves_sent) as saves_sent, m.sends_locally,
     ${mayFollowUp('m', '$3')} as is_read, m.ramp_up_start, m.ramp_up_step, m.ramp_up_from,
     (
       select json_agg(json_build_object('day', d.day, 'sent', d.sent))
       from mailbox_days d
       where d.workspace_id = k.workspace_id and d.mailbox_id = k.mailbox_id
         and ${isAboutToday('d.day', '$4')}
     ) as days,
     exists (
       select from sends s
       where s.workspace_id = k.workspace_id and s.mailbox_id = k.mailbox_id
         and s.waits_since is not null and ${mayStillLeave('s.waits_since', '$4')}
       offset 0
     ) as has_reply
   from unnest($1::uuid[], $2::uuid[]) with ordinality as k (workspace_id, mailbox_id, position)
   join mailbox_lanes l on l.workspace_id = k.workspace_id and l.mailbox_id = k.mailbox_id
   join lateral (
     select w.plan_api, w.moving_to is not null as is_moving
     from workspaces w where w.id = k.workspace_id order by w.id limit 1
   ) w on true
   left join lateral (
     select * from mailboxes m
     where m.workspace_id = k.workspace_id and m.id = k.mailbox_id
     order by m.id
     limit 1
   ) m on true
   order by k.position`,
)

/**
 * The lanes as they stand, in the order of the keys.
 *
 * @param readSince mailboxes that were read before it count as unread
 */
export const readLanes = (db: AnyDb, lanes: LaneKey[], readSince: Date, now: Date) =>
  selectLanes(db, column(lanes, 'workspace_id'), column(lanes, 'mailbox_id'), readSince, now)

export interface OpenSend extends LaneKey {
  id: string
  lead_id: string
  step_id: string
  campaign_id: string
  state: SendState
  email: string | null
  thread_subject: string | null
  address: string | null
  gap_seconds: number | null
}

const selectOpen = preparedForBatch<string[][], OpenSend>(
  'find_open_sends',
  `/* batch */
   select s.workspace_id, s.mailbox_id, s.id, s.lead_id, s.step_id, s.campaign_id, s.state,
     l.email, l.thread_subject, m.address, m.gap_seconds
   from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as k (workspace_id, mailbox_id, token)
   join workspaces w on w.id = k.workspace_id and w.moving_to is null
   join mailbox_lanes n on n.workspace_id = k.workspace_id and n.mailbox_id = k.mailbox_id
     and n.token = k.token
   join sends s on s.workspace_id = k.workspace_id and s.mailbox_id = k.mailbox_id and s.is_open
   left join lateral (
     select l.email, l.thread_subject from leads l
     where l.workspace_id = k.workspace_id and l.id = s.lead_id
     order by l.id
     limit 1
   ) l on true
   left join lateral (
     select m.address, m.gap_seconds from mailboxes m
     where m.workspace_id = k.workspace_id and m.id = k.mailbox_id
     order by m.id
     limit 1
   ) m on true
   order by s.workspace_id, s.lead_id, s.step_id`,
)

/**
 * What the last owner of these lanes was in the middle of, but where it is moved with its workspace. Of a
 * lane that is another one's nothing is found.
 */
export const findOpenSends = (db: AnyDb, lanes: OwnedLane[]) =>
  selectOpen(db, column(lanes, 'workspace_id'), column(lanes, 'mailbox_id'), column(lanes, 'token'))
