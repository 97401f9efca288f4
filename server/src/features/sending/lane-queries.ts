import { sql } from 'kysely'
import { column } from '../../kernel/db/column.ts'
import type { Db } from '../../kernel/db/db.ts'
import { prepared } from '../../kernel/db/prepared.ts'
import { utcDay } from '../daily-counts/index.ts'
import { isInboxRead } from '../mailboxes/index.ts'
import type { LaneKey } from './cross-workspace.ts'
import type { SendState } from './ledger.ts'

// Lanes of many workspaces are looked after together: workspace_id comes from a list.

export interface LaneRow extends LaneKey {
  seq: string
  token: string
  next_send_at: Date | null
  last_campaign_id: string | null
  failures: number
  not_before: Date | null
  plan_api: boolean
  /** Null, like everything below: the mailbox was removed. */
  address: string | null
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
  /** Of yesterday, today and tomorrow by UTC: one of them is the mailbox's own. */
  days: { day: string; sent: number }[] | null
}

const selectLanes = prepared<[...string[][], Date, Date], LaneRow>(
  'read_lanes',
  `/* settle */
   select l.workspace_id, l.mailbox_id, l.seq, l.token, l.next_send_at, l.last_campaign_id,
     l.failures, l.not_before, w.plan_api, m.address, m.display_name, m.signature, m.status,
     m.timezone, m.daily_limit, m.gap_seconds,
     coalesce(m.save_sent, not m.provider_saves_sent) as saves_sent, m.sends_locally,
     ${isInboxRead('m', '$3')} as is_read, m.ramp_up_start, m.ramp_up_step, m.ramp_up_from,
     (
       select json_agg(json_build_object('day', d.day, 'sent', d.sent))
       from mailbox_days d
       where d.workspace_id = k.workspace_id and d.mailbox_id = k.mailbox_id
         and d.day between ${utcDay('$4')} - 1 and ${utcDay('$4')} + 1
     ) as days,
     exists (
       select from sends s
       where s.workspace_id = k.workspace_id and s.mailbox_id = k.mailbox_id
         and s.waits_since is not null
       offset 0
     ) as has_reply
   from unnest($1::uuid[], $2::uuid[]) with ordinality as k (workspace_id, mailbox_id, position)
   join mailbox_lanes l on l.workspace_id = k.workspace_id and l.mailbox_id = k.mailbox_id
   join lateral (
     select w.plan_api from workspaces w where w.id = k.workspace_id order by w.id limit 1
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
export const readLanes = (db: Db, lanes: LaneKey[], readSince: Date, now: Date) =>
  selectLanes(db, column(lanes, 'workspace_id'), column(lanes, 'mailbox_id'), readSince, now)

export interface OwnedLane extends LaneKey {
  /** Of the lease of its bucket. */
  token: string
}

const adopt = prepared<string[][], never>(
  'adopt_lanes',
  `/* settle */
   update mailbox_lanes l
   set token = k.token
   from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as k (workspace_id, mailbox_id, token)
   where l.workspace_id = k.workspace_id and l.mailbox_id = k.mailbox_id and l.token < k.token`,
)

const lock = prepared<string[][], LaneKey>(
  'lock_lanes',
  `/* settle */
   select l.workspace_id, l.mailbox_id
   from mailbox_lanes l
   join unnest($1::uuid[], $2::uuid[], $3::bigint[]) as k (workspace_id, mailbox_id, token)
     on l.workspace_id = k.workspace_id and l.mailbox_id = k.mailbox_id and l.token < k.token
   order by l.workspace_id, l.mailbox_id
   for update of l`,
)

/**
 * From now on whoever had these lanes under an older token claims nothing more: a claim that is under
 * way is waited for.
 */
export async function takeLanes(tx: Db, lanes: OwnedLane[]) {
  const keys = [column(lanes, 'workspace_id'), column(lanes, 'mailbox_id'), column(lanes, 'token')]
  const older = await lock(tx, ...keys)
  if (older.length > 0) await adopt(tx, ...keys)
}

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

const selectOpen = prepared<string[][], OpenSend>(
  'find_open_sends',
  `/* settle */
   select s.workspace_id, s.mailbox_id, s.id, s.lead_id, s.step_id, s.campaign_id, s.state,
     l.email, l.thread_subject, m.address, m.gap_seconds
   from unnest($1::uuid[], $2::uuid[]) as k (workspace_id, mailbox_id)
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

/** What the last owner of these lanes was in the middle of. */
export const findOpenSends = (db: Db, lanes: LaneKey[]) =>
  selectOpen(db, column(lanes, 'workspace_id'), column(lanes, 'mailbox_id'))

export interface Sleep extends OwnedLane {
  /** As the lane was when its work was read. */
  seq: string
  /** Null: until something wakes it. */
  wake_at: Date | null
  /** Until then, no new lead changes what it does. */
  rests: boolean
}

const sleep = prepared<unknown[], LaneKey>(
  'put_lanes_to_sleep',
  `/* settle */
   update mailbox_lanes l
   set wake_at = k.wake_at, rests_until = case when k.rests then k.wake_at end
   from (
     select l.workspace_id, l.mailbox_id, k.wake_at, k.rests
     from mailbox_lanes l
     join unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $5::timestamptz[], $6::boolean[])
       as k (workspace_id, mailbox_id, token, seq, wake_at, rests)
       on l.workspace_id = k.workspace_id and l.mailbox_id = k.mailbox_id
         and l.token = k.token and l.seq = k.seq
     for no key update of l skip locked
   ) k
   where l.workspace_id = k.workspace_id and l.mailbox_id = k.mailbox_id
   returning l.workspace_id, l.mailbox_id`,
)

/**
 * Puts to sleep what nobody woke or took over since its work was read. A lane that is locked is being woken: to
 * wait for it here could end in a deadlock with the request that wakes several.
 */
export async function putToSleep(db: Db, lanes: Sleep[]) {
  const rows = await sleep(
    db,
    column(lanes, 'workspace_id'),
    column(lanes, 'mailbox_id'),
    column(lanes, 'token'),
    column(lanes, 'seq'),
    column(lanes, 'wake_at'),
    column(lanes, 'rests'),
  )
  return new Set(column(rows, 'mailbox_id'))
}

/** Failures in a row, and when the mailbox may try again. */
export const setTrouble = (
  db: Db,
  workspaceId: string,
  mailboxId: string,
  failures: number,
  notBefore: Date,
) =>
  db
    .updateTable('mailbox_lanes')
    .set({ failures, not_before: notBefore })
    .where('workspace_id', '=', workspaceId)
    .where('mailbox_id', '=', mailboxId)
    .execute()

/**
 * Its sending server lets it in. While something else is wrong with it, it is looked at again then. Its
 * failures in a row end with a mail that is taken: who may log in and not send is tried less and less.
 */
export const endTrouble = (db: Db, workspaceId: string, mailboxId: string, lookAgain: Date) =>
  sql`
    update mailbox_lanes l
    set not_before = case when m.status = 'error' then ${lookAgain}::timestamptz end
    from mailboxes m
    where l.workspace_id = ${workspaceId}::uuid and l.mailbox_id = ${mailboxId}::uuid
      and m.workspace_id = ${workspaceId}::uuid and m.id = ${mailboxId}::uuid`.execute(db)
