import { sql } from 'kysely'
import type { ProcessContext } from '../../kernel/context.ts'
import type { ProcessDb } from '../../kernel/db/db.ts'
import { isHere } from '../../kernel/db/here.ts'
import { preparedForAll } from '../../kernel/db/prepared.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { firstIdAt } from '../../kernel/ids.ts'
import { mayReceive } from '../webhooks/index.ts'
import { keepLanePlan } from './lane-queries.ts'

// Discovery and upkeep read across workspaces: a runner serves them all. Nothing here answers a user.

export interface LaneKey {
  workspace_id: string
  webhook_id: string
}

/**
 * Lanes of these buckets with a row that fell due within the window. Planned anew each time: whether
 * an index or the whole table is faster depends on how full the queue is.
 */
export async function findDueLanes(
  db: ProcessDb,
  buckets: number[],
  after: Date,
  to: Date,
): Promise<LaneKey[]> {
  const { rows } = await sql<LaneKey>`
    /* cross-workspace: discovery */
    select distinct workspace_id, webhook_id
    from deliveries
    where bucket = any(${buckets}::smallint[]) and due_at > ${after} and due_at <= ${to}
      and ${sql.raw(isHere)}`.execute(db)
  return rows
}

/** Where a step of the sweep ended. */
export interface SweepPosition extends LaneKey {
  bucket: number
}

export interface SweptLane extends SweepPosition {
  has_work: boolean
}

const sweepBatch = preparedForAll<[number[], number, string, string, Date, number], SweptLane>(
  'sweep_lanes',
  `/* cross-workspace: discovery */
   select u.bucket, u.workspace_id, u.webhook_id, next.due_at is not null and (
     next.due_at <= $5 or not exists (
       select from webhooks w where w.workspace_id = u.workspace_id and w.id = u.webhook_id)
   ) as has_work
   from (
     select distinct bucket, workspace_id, webhook_id from webhook_urls
     where bucket = any($1::smallint[])
       and (bucket, workspace_id, webhook_id) > ($2::smallint, $3::uuid, $4::uuid)
       and ${isHere}
     order by bucket, workspace_id, webhook_id
     limit $6
   ) u
   left join lateral (
     select d.due_at from deliveries d
     where d.workspace_id = u.workspace_id and d.webhook_id = u.webhook_id
     order by d.due_at, d.id
     limit 1
   ) next on true
   order by u.bucket, u.workspace_id, u.webhook_id`,
)

/**
 * One step of the sweep, which finds rows that were committed after the window above had passed them:
 * the next lanes of these buckets in key order, deleted destinations included. `webhook_urls` names
 * every destination that something may wait for.
 */
export const sweepLanes = (
  ctx: ProcessContext,
  buckets: number[],
  { bucket, workspace_id, webhook_id }: SweepPosition,
  now: Date,
  most: number,
) =>
  transaction(ctx, async ({ db }) => {
    await keepLanePlan(db)
    return sweepBatch(db, buckets, bucket, workspace_id, webhook_id, now, most)
  })

export interface FanoutKey {
  workspace_id: string
  event_id: string
}

/**
 * In turn by workspace: a large change of one holds up no other. Keys alone: all that wait are sorted,
 * and their lists of destinations would not fit into memory. None is numbered beyond what is wanted,
 * which PostgreSQL only knows where the limit of `turn` stands right above.
 */
export const findDueFanouts = preparedForAll<[number[], Date, number], FanoutKey>(
  'find_due_fanouts',
  `/* cross-workspace: discovery */
   select workspace_id, event_id
   from (
     select workspace_id, event_id, due_at,
       row_number() over (partition by workspace_id order by due_at, event_id) as turn
     from fanouts
     where bucket = any($1::smallint[]) and due_at <= $2 and ${isHere}
   ) waiting
   where turn <= $3
   order by turn, due_at, event_id
   limit $3`,
)

/**
 * Counts an abandoned lease against the lanes that had work then: whichever request ends processes
 * is among them. Any success clears the count.
 */
export const countAbandons = (db: ProcessDb, buckets: number[], now: Date) =>
  sql`
    /* cross-workspace: takeover of an expired lease */
    insert into webhook_lanes as l (workspace_id, webhook_id, abandons)
    select distinct workspace_id, webhook_id, 1 from deliveries
    where bucket = any(${buckets}::smallint[]) and due_at <= ${now} and ${sql.raw(isHere)}
    order by workspace_id, webhook_id
    on conflict (workspace_id, webhook_id) do update set abandons = l.abandons + 1`.execute(db)

/**
 * Counts the rows: the planner's estimate is minutes behind a burst. What waits for a person, because
 * its destination is not active or its plan has no webhooks, is pending, and not late; nor is what waits
 * because its destination fails (`listFailing`). What a fan-out stands for is pending, too; a fan-out is
 * late whomever it is for.
 */
export async function countBacklog(db: ProcessDb, buckets: number[]) {
  const { rows } = await sql<{ pending: number; oldest_due: Date | null }>`
    /* cross-workspace: metrics */
    select coalesce(sum(pending), 0)::int as pending, min(oldest_due) as oldest_due
    from (
      select count(*) as pending, min(due_at) filter (where coalesce(is_awaited, true)) as oldest_due
      from deliveries
      left join (
        select w.workspace_id, w.id as webhook_id,
          ${sql.raw(mayReceive)} and l.failing_since is null as is_awaited
        from webhooks w join workspaces p on p.id = w.workspace_id
        left join webhook_lanes l on l.workspace_id = w.workspace_id and l.webhook_id = w.id
      ) destination using (workspace_id, webhook_id)
      where bucket = any(${buckets}::smallint[]) and ${sql.raw(isHere)}
      union all
      select sum(
          cardinality(webhook_ids) - coalesce(array_position(webhook_ids, after_webhook_id), 0)
        ), min(due_at)
      from fanouts where bucket = any(${buckets}::smallint[]) and ${sql.raw(isHere)}
    ) waiting`.execute(db)
  return rows[0] ?? { pending: 0, oldest_due: null }
}

export interface FailingDestination extends LaneKey {
  workspace: string
  target_hook_url: string
  failing_since: Date
}

/** Active destinations that have failed since then at least, the first to fail first; `most` at most. */
export async function listFailing(
  db: ProcessDb,
  since: Date,
  most: number,
): Promise<FailingDestination[]> {
  const { rows } = await sql<FailingDestination>`
    /* cross-workspace: metrics and examination */
    select w.workspace_id, w.id as webhook_id, p.name as workspace, w.target_hook_url, l.failing_since
    from webhook_lanes l
    join webhooks w on w.workspace_id = l.workspace_id and w.id = l.webhook_id
    join workspaces p on p.id = w.workspace_id
    where l.failing_since <= ${since} and ${sql.raw(mayReceive)}
    order by l.failing_since, w.workspace_id, w.id
    limit ${most}`.execute(db)
  return rows
}

/**
 * Deliveries that ended since then because more waited for their destination than are kept,
 * `most` at most. By the failures of one workspace after another: no index is of all.
 */
export async function countBacklogFull(db: ProcessDb, since: Date, most: number): Promise<number> {
  const { rows } = await sql<{ ended: number }>`
    /* cross-workspace: examination */
    select count(*)::int as ended from (
      select from workspaces w cross join lateral (
        select e.id from webhook_events e
        where e.workspace_id = w.id and e.id >= ${firstIdAt(since)}::uuid and not e.success
          and e.error_message = 'backlog_full'
        order by e.id
        limit ${most}
      ) full_of_one
      where w.moving_to is null
      order by w.id
      limit ${most}
    ) ended`.execute(db)
  return rows[0]?.ended ?? 0
}

/** The oldest event that is still to be delivered: its partition must stay. */
export async function findOldestPendingEvent(db: ProcessDb): Promise<string | null> {
  const { rows } = await sql<{ event_id: string | null }>`
    /* cross-workspace: partition upkeep */
    select least(
      (select min(event_id::text) from deliveries), (select min(event_id::text) from fanouts)
    ) as event_id`.execute(db)
  return rows[0]?.event_id ?? null
}

/** Counters of workspaces are kept much longer than the attempts they count, those of destinations as long. */
export const deleteOldCounts = (db: ProcessDb, before: string, webhooksBefore: string) =>
  sql`
    /* cross-workspace: upkeep */
    with webhooks as (
      delete from webhook_days where day < ${webhooksBefore}::date and ${sql.raw(isHere)}
    )
    delete from webhook_event_counts where date < ${before}::date and ${sql.raw(isHere)}`.execute(
    db,
  )
