import { sql } from 'kysely'
import { timestampArray } from '../../kernel/db/binary-array.ts'
import { column } from '../../kernel/db/column.ts'
import type { AnyDb, Db } from '../../kernel/db/db.ts'
import { preparedForBatch } from '../../kernel/db/prepared.ts'
import { leaseKind } from './hint.ts'

// What the owner of lanes locks and writes. It looks after lanes of many workspaces together:
// workspace_id comes from a list.

export interface LaneKey {
  workspace_id: string
  mailbox_id: string
}

export interface OwnedLane extends LaneKey {
  /** Of the lease of its bucket. */
  token: string
}

const adopt = preparedForBatch<string[][], never>(
  'adopt_lanes',
  `/* batch */
   update mailbox_lanes l
   set token = k.token
   from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as k (workspace_id, mailbox_id, token)
   where l.workspace_id = k.workspace_id and l.mailbox_id = k.mailbox_id`,
)

const lock = preparedForBatch<string[][], LaneKey>(
  'lock_lanes',
  `/* batch */
   select l.workspace_id, l.mailbox_id
   from mailbox_lanes l
   join unnest($1::uuid[], $2::uuid[], $3::bigint[]) as k (workspace_id, mailbox_id, token)
     on l.workspace_id = k.workspace_id and l.mailbox_id = k.mailbox_id and l.token < k.token
   join bucket_leases b on b.kind = '${leaseKind}' and b.bucket = l.bucket and b.token = k.token
   join workspaces w on w.id = k.workspace_id and w.moving_to is null
   order by l.workspace_id, l.mailbox_id
   for update of l`,
)

/**
 * From now on whoever had these lanes under an older token claims nothing more: a claim that is under
 * way is waited for. Those of a workspace that is being moved stay as they are, and so do all whose
 * bucket has another lease: a standby that took over counts on from the tokens that it knew, and a lane
 * with a higher one would be nobody's until they have come so far.
 */
export async function takeLanes(tx: AnyDb, lanes: OwnedLane[]) {
  const locked = await lock(tx, ...keysOf(lanes))
  const older = new Set(column(locked, 'mailbox_id'))
  const taken = lanes.filter(({ mailbox_id }) => older.has(mailbox_id))
  if (taken.length > 0) await adopt(tx, ...keysOf(taken))
}

const keysOf = (lanes: OwnedLane[]) => [
  column(lanes, 'workspace_id'),
  column(lanes, 'mailbox_id'),
  column(lanes, 'token'),
]

const shareLanes = preparedForBatch<string[][], { mailbox_id: string }>(
  'hold_lanes',
  `/* batch */
   select l.mailbox_id
   from mailbox_lanes l
   join unnest($1::uuid[], $2::uuid[], $3::bigint[]) as k (workspace_id, mailbox_id, token)
     on l.workspace_id = k.workspace_id and l.mailbox_id = k.mailbox_id and l.token = k.token
   order by l.workspace_id, l.mailbox_id
   for key share of l`,
)

/**
 * Lanes that are still the token's, and stay so until the transaction ends. Only who adopts them waits
 * for that, not who settles.
 */
export async function holdLanes(db: AnyDb, lanes: OwnedLane[]) {
  const rows = await shareLanes(db, ...keysOf(lanes))
  return new Set(rows.map((row) => row.mailbox_id))
}

export interface PacedLane extends LaneKey {
  last_sent_at: Date
  next_send_at: Date | null
  last_campaign_id: string
  /** A server took a mail. */
  works: boolean
}

const lockLanesOf = preparedForBatch<string[][], never>(
  'lock_settled_lanes',
  `/* batch */
   select from mailbox_lanes l
   join unnest($1::uuid[], $2::uuid[]) as k (workspace_id, mailbox_id)
     on l.workspace_id = k.workspace_id and l.mailbox_id = k.mailbox_id
   order by l.workspace_id, l.mailbox_id
   for no key update of l`,
)

/** In order: nobody waits in a ring. */
export const lockLanes = (db: AnyDb, lanes: LaneKey[]) =>
  lockLanesOf(db, column(lanes, 'workspace_id'), column(lanes, 'mailbox_id'))

const pace = preparedForBatch<unknown[], never>(
  'pace_lanes',
  `/* batch */
   update mailbox_lanes l
   set last_sent_at = greatest(l.last_sent_at, k.last_sent_at),
     next_send_at = greatest(l.next_send_at, k.next_send_at),
     last_campaign_id = k.last_campaign_id,
     failures = case when k.works then 0 else l.failures end,
     not_before = case when k.works then null else l.not_before end
   from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::uuid[],
     $6::boolean[])
     as k (workspace_id, mailbox_id, last_sent_at, next_send_at, last_campaign_id, works)
   where l.workspace_id = k.workspace_id and l.mailbox_id = k.mailbox_id`,
)

/** What the mailbox's pace is counted from, and the end of whatever trouble it had. */
export const paceLanes = (db: AnyDb, lanes: PacedLane[]) =>
  pace(
    db,
    column(lanes, 'workspace_id'),
    column(lanes, 'mailbox_id'),
    timestampArray(column(lanes, 'last_sent_at')),
    timestampArray(column(lanes, 'next_send_at')),
    column(lanes, 'last_campaign_id'),
    column(lanes, 'works'),
  )

export interface Sleep extends OwnedLane {
  /** As the lane was when its work was read. */
  seq: string
  /** Null: until something wakes it. */
  wake_at: Date | null
  /** Until then, no new lead changes what it does. */
  rests: boolean
  /** Of the database that its work was read from, as far as is known. */
  identity: string | null
}

interface Slept {
  identity: string
  mailbox_ids: string[]
}

const sleep = preparedForBatch<unknown[], Slept>(
  'put_lanes_to_sleep',
  `/* batch */
   with here as materialized (select outrider_database_identity() as identity),
   asleep as (
     update mailbox_lanes l
     set wake_at = k.wake_at, rests_until = case when k.rests then k.wake_at end
     from (
       select l.workspace_id, l.mailbox_id, k.wake_at, k.rests
       from mailbox_lanes l
       join unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $5::timestamptz[],
         $6::boolean[], $7::text[]) as k (workspace_id, mailbox_id, token, seq, wake_at, rests, identity)
         on l.workspace_id = k.workspace_id and l.mailbox_id = k.mailbox_id
           and l.token = k.token and l.seq = k.seq
       where k.identity is null or k.identity = (select identity from here)
       for no key update of l skip locked
     ) k
     where l.workspace_id = k.workspace_id and l.mailbox_id = k.mailbox_id
     returning l.mailbox_id
   )
   select identity, array(select mailbox_id from asleep) as mailbox_ids from here`,
)

/**
 * Puts to sleep what nobody woke or took over since its work was read. A lane that is locked is being woken: to
 * wait for it here could end in a deadlock with the request that wakes several. A plan made from a primary
 * that has died is no reason to sleep in the standby that took over, which may lack what was sent.
 *
 * @returns the mailboxes that sleep, and the identity of this database
 */
export async function putToSleep(db: AnyDb, lanes: Sleep[]) {
  const [slept] = await sleep(
    db,
    column(lanes, 'workspace_id'),
    column(lanes, 'mailbox_id'),
    column(lanes, 'token'),
    column(lanes, 'seq'),
    column(lanes, 'wake_at'),
    column(lanes, 'rests'),
    column(lanes, 'identity'),
  )
  return { asleep: new Set(slept?.mailbox_ids), identity: slept?.identity ?? null }
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
 * failures in a row stay: see `wakeRecoveredMailbox`.
 */
export const endTrouble = (db: Db, workspaceId: string, mailboxId: string, lookAgain: Date) =>
  sql`
    update mailbox_lanes l
    set not_before = case when m.status = 'error' then ${lookAgain}::timestamptz end
    from mailboxes m
    where l.workspace_id = ${workspaceId}::uuid and l.mailbox_id = ${mailboxId}::uuid
      and m.workspace_id = ${workspaceId}::uuid and m.id = ${mailboxId}::uuid`.execute(db)
