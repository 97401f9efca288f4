import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import type { LaneKey } from './cross-workspace.ts'
import type { SendState } from './ledger.ts'

// Lanes of many workspaces are looked after together: workspace_id comes from a list.

const column = <Row, Name extends keyof Row>(rows: Row[], name: Name): Row[Name][] =>
  rows.map((row) => row[name])

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
  ramp_up_start: number | null
  ramp_up_step: number | null
  ramp_up_from: string | null
}

/** The lanes as they stand, in the order of the keys. */
export async function readLanes(db: Db, lanes: LaneKey[]) {
  const { rows } = await sql<LaneRow>`
    /* settle */
    select l.workspace_id, l.mailbox_id, l.seq, l.token, l.next_send_at, l.last_campaign_id, l.failures,
      l.not_before, w.plan_api, m.address, m.display_name, m.signature, m.status, m.timezone, m.daily_limit,
      m.gap_seconds, m.ramp_up_start, m.ramp_up_step, m.ramp_up_from
    from unnest(
      ${column(lanes, 'workspace_id')}::uuid[],
      ${column(lanes, 'mailbox_id')}::uuid[]
    ) with ordinality as k (workspace_id, mailbox_id, position)
    join mailbox_lanes l on l.workspace_id = k.workspace_id and l.mailbox_id = k.mailbox_id
    join workspaces w on w.id = k.workspace_id
    left join mailboxes m on m.workspace_id = k.workspace_id and m.id = k.mailbox_id
    order by k.position`.execute(db)
  return rows
}

export interface OwnedLane extends LaneKey {
  /** Of the lease of its bucket. */
  token: string
}

/** From now on whoever had these lanes under an older token claims nothing more. */
export async function adoptLanes(db: Db, lanes: OwnedLane[]) {
  await sql`
    /* settle */
    update mailbox_lanes l
    set token = k.token
    from unnest(
      ${column(lanes, 'workspace_id')}::uuid[],
      ${column(lanes, 'mailbox_id')}::uuid[],
      ${column(lanes, 'token')}::bigint[]
    ) as k (workspace_id, mailbox_id, token)
    where l.workspace_id = k.workspace_id and l.mailbox_id = k.mailbox_id
      and l.token < k.token`.execute(db)
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
}

/** What the last owner of these lanes was in the middle of. */
export async function findOpenSends(db: Db, lanes: LaneKey[]) {
  const { rows } = await sql<OpenSend>`
    /* settle */
    select s.workspace_id, s.mailbox_id, s.id, s.lead_id, s.step_id, s.campaign_id, s.state,
      l.email, l.thread_subject, m.address
    from sends s
    join unnest(
      ${column(lanes, 'workspace_id')}::uuid[],
      ${column(lanes, 'mailbox_id')}::uuid[]
    ) as k (workspace_id, mailbox_id)
      on s.workspace_id = k.workspace_id and s.mailbox_id = k.mailbox_id
    left join leads l on l.workspace_id = s.workspace_id and l.id = s.lead_id
    left join mailboxes m on m.workspace_id = s.workspace_id and m.id = s.mailbox_id
    where s.is_open
    order by s.workspace_id, s.lead_id, s.step_id`.execute(db)
  return rows
}

export interface Sleep extends LaneKey {
  /** As the lane was when its work was read. */
  seq: string
  /** Null: until something wakes it. */
  wake_at: Date | null
}

/** Puts to sleep what nobody woke since its work was read. */
export async function putToSleep(db: Db, lanes: Sleep[]) {
  const { rows } = await sql<LaneKey>`
    /* settle */
    update mailbox_lanes l
    set wake_at = k.wake_at
    from unnest(
      ${column(lanes, 'workspace_id')}::uuid[],
      ${column(lanes, 'mailbox_id')}::uuid[],
      ${column(lanes, 'seq')}::bigint[],
      ${column(lanes, 'wake_at')}::timestamptz[]
    ) as k (workspace_id, mailbox_id, seq, wake_at)
    where l.workspace_id = k.workspace_id and l.mailbox_id = k.mailbox_id and l.seq = k.seq
    returning l.workspace_id, l.mailbox_id`.execute(db)
  return new Set(rows.map((row) => row.mailbox_id))
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

/** Its sending server works. While something else is wrong with it, it is looked at again then. */
export const endTrouble = (db: Db, workspaceId: string, mailboxId: string, lookAgain: Date) =>
  sql`
    update mailbox_lanes l
    set failures = 0, not_before = case when m.status = 'error' then ${lookAgain}::timestamptz end
    from mailboxes m
    where l.workspace_id = ${workspaceId}::uuid and l.mailbox_id = ${mailboxId}::uuid
      and m.workspace_id = ${workspaceId}::uuid and m.id = ${mailboxId}::uuid`.execute(db)
