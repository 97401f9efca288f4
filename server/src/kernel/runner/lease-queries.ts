import { sql } from 'kysely'
import type { AnyDb, ProcessDb } from '../db/db.ts'
import { firstIdAt } from '../ids.ts'

// Bucket leases and runners are local to the coordinator: no statement here touches a tenant table.

/** A process is one runner for each kind of lease that it takes. */
export const upsertRunner = (
  db: ProcessDb,
  kind: string,
  runner: { id: string; process: string | null; keyIds: string[] },
) =>
  sql`
    insert into runners (id, kind, heartbeat_at, process, secret_key_ids)
    values (${runner.id}::uuid, ${kind}, outrider_now(), ${runner.process}, ${runner.keyIds}::text[])
    on conflict (id) do update set heartbeat_at = excluded.heartbeat_at`.execute(db)

/** The runners that have told which process they are. */
export const findMarkedRunners = async (db: ProcessDb, kind: string) =>
  db
    .selectFrom('runners')
    .select(['id', 'process'])
    .where('kind', '=', kind)
    .where('process', 'is not', null)
    .$narrowType<{ process: string }>()
    .execute()

/** Their leases end now. Who takes them next finishes what they had begun, as after any lease that ended. */
export const endRunners = (db: ProcessDb, kind: string, runnerIds: string[]) =>
  sql`
    with ended as (delete from runners where id = any(${runnerIds}::uuid[]) returning id)
    update bucket_leases l
    set leased_until = outrider_now()
    from ended
    where l.kind = ${kind} and l.runner_id = ended.id`.execute(db)

export const deleteRunner = (db: ProcessDb, runnerId: string) =>
  db.deleteFrom('runners').where('id', '=', runnerId).execute()

/** Runners that have not been heard of for a day say nothing any more. */
export const deleteDeadRunners = (db: ProcessDb) =>
  sql`delete from runners where heartbeat_at < outrider_now() - interval '1 day'`.execute(db)

export async function countRunners(db: AnyDb, kind: string, leaseMs: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from runners
    where kind = ${kind}
      and heartbeat_at > outrider_now() - ${leaseMs}::float8 * interval '1 ms'`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * Processes with a runner that is alive, and that cannot open what this key seals. One of an older
 * version may have it.
 */
export async function findProcessesWithoutKey(
  db: ProcessDb,
  keyId: string,
  leaseMs: number,
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct coalesce(process, id::text) as name from runners
    where not ${keyId} = any(secret_key_ids)
      and heartbeat_at > outrider_now() - ${leaseMs}::float8 * interval '1 ms'`.execute(db)
  return rows.map(({ name }) => name)
}

/** Processes with a runner that is alive and took up its work before this time. */
export async function findProcessesOlderThan(
  db: ProcessDb,
  time: Date,
  leaseMs: number,
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct coalesce(process, id::text) as name from runners
    where id < ${firstIdAt(time)}::uuid
      and heartbeat_at > outrider_now() - ${leaseMs}::float8 * interval '1 ms'`.execute(db)
  return rows.map(({ name }) => name)
}

export interface Lease {
  bucket: number
  token: string
}

/**
 * Renews by token, also late: as long as nobody took the bucket, its lanes were never without us.
 */
export async function renewLeases(
  db: ProcessDb,
  kind: string,
  runnerId: string,
  leases: Lease[],
  leaseMs: number,
): Promise<number[]> {
  const { rows } = await sql<{ bucket: number }>`
    update bucket_leases l
    set leased_until = outrider_now() + ${leaseMs}::float8 * interval '1 ms'
    from unnest(
      ${leases.map((lease) => lease.bucket)}::smallint[],
      ${leases.map((lease) => lease.token)}::bigint[]
    ) as mine (bucket, token)
    where l.kind = ${kind} and l.bucket = mine.bucket and l.token = mine.token
      and l.runner_id = ${runnerId}::uuid
    returning l.bucket`.execute(db)
  return rows.map((row) => row.bucket)
}

export interface TakenLease extends Lease {
  /** The last owner did not release it: it died, or it is stalled. */
  abandoned: boolean
}

/**
 * Takes free and expired buckets. Two runners asking at once never wait for each other.
 *
 * A token is the time of taking in microseconds: counted up, a standby that lagged would give the number
 * again that the old primary gave, and the owner from before would pass for the new one.
 */
export async function takeLeases(
  db: ProcessDb,
  kind: string,
  runnerId: string,
  most: number,
  leaseMs: number,
): Promise<TakenLease[]> {
  const { rows } = await sql<TakenLease>`
    with free as (
      select bucket, runner_id is not null as abandoned
      from bucket_leases
      where kind = ${kind} and (runner_id is null or leased_until <= outrider_now())
      order by bucket
      limit ${most}
      for update skip locked
    )
    update bucket_leases l
    set runner_id = ${runnerId}::uuid,
      token = greatest(l.token + 1, (extract(epoch from outrider_now()) * 1000000)::bigint),
      leased_until = outrider_now() + ${leaseMs}::float8 * interval '1 ms'
    from free
    where l.kind = ${kind} and l.bucket = free.bucket
    returning l.bucket, l.token::text as token, free.abandoned`.execute(db)
  return rows.sort((a, b) => a.bucket - b.bucket)
}

export const releaseLeases = (db: ProcessDb, kind: string, runnerId: string, leases: Lease[]) =>
  sql`
    update bucket_leases l
    set runner_id = null, leased_until = null
    from unnest(
      ${leases.map((lease) => lease.bucket)}::smallint[],
      ${leases.map((lease) => lease.token)}::bigint[]
    ) as mine (bucket, token)
    where l.kind = ${kind} and l.bucket = mine.bucket and l.token = mine.token
      and l.runner_id = ${runnerId}::uuid`.execute(db)

/**
 * Takes or renews the one lease of the leader, and gives a sign of it to whoever listens.
 *
 * @returns whether this runner leads now
 */
export async function takeLeadership(
  db: ProcessDb,
  runnerId: string,
  leaseMs: number,
  { channel, sign }: { channel: string; sign: string },
): Promise<boolean> {
  const { rows } = await sql`
    with sign (channel, payload) as (values (${channel}::text, ${sign}::text)), mine as (
      update bucket_leases
      set runner_id = ${runnerId}::uuid,
        leased_until = outrider_now() + ${leaseMs}::float8 * interval '1 ms'
      where kind = 'leader'
        and (runner_id is null or runner_id = ${runnerId}::uuid or leased_until <= outrider_now())
      returning bucket
    )
    select pg_notify(channel, payload) from sign, mine`.execute(db)
  return rows.length > 0
}

export const releaseLeadership = (db: ProcessDb, runnerId: string) =>
  sql`
    update bucket_leases set runner_id = null, leased_until = null
    where kind = 'leader' and runner_id = ${runnerId}::uuid`.execute(db)
