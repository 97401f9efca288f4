import { sql } from 'kysely'
import { dayMs } from '../durations.ts'
import { firstIdAt } from '../ids.ts'
import type { AnyDb, ProcessDb } from './db.ts'
import { isLockTimeout } from './failure.ts'

/**
 * Tables cut by time. `week` tables are cut by the time in their UUIDv7 id, `day` tables by a date.
 * There is no default partition: rows in one would block every later cut.
 */
export interface PartitionedTable {
  name: string
  by: 'week' | 'day'
}

/** Creates what is missing from one period before `now` to `ahead` periods after it. */
export async function createPartitions(
  db: ProcessDb,
  table: PartitionedTable,
  now: Date,
  ahead = 4,
) {
  const existing = new Set((await listPartitions(db, table)).map((partition) => partition.name))
  for (let step = -1; step <= ahead; step++) {
    const start = startOfPeriod(table, now, step)
    if (!existing.has(partitionName(table, start))) await createPartition(db, table, start)
  }
}

export interface Partition {
  name: string
  start: Date
  end: Date
}

/** Oldest first. */
export async function listPartitions(db: AnyDb, table: PartitionedTable): Promise<Partition[]> {
  const { rows } = await sql<{ name: string }>`
    select child.relname as name
    from pg_inherits
    join pg_class child on child.oid = inhrelid
    join pg_class parent on parent.oid = inhparent
    where parent.relname = ${table.name}
    order by child.relname`.execute(db)
  return rows.map(({ name }) => {
    const start = dateOfName(name)
    return { name, start, end: startOfPeriod(table, start, 1) }
  })
}

/**
 * Drops one partition without making writers queue behind the lock.
 *
 * @param isNeeded asked once nobody reads the table any more, nor can until the partition is gone: its
 *   answer must be quick
 * @returns false when it is needed, or the lock was not to be had at once: try again later
 */
export async function dropPartition(
  db: ProcessDb,
  table: PartitionedTable,
  partition: Partition,
  isNeeded?: (tx: ProcessDb) => Promise<boolean>,
): Promise<boolean> {
  try {
    return await db.transaction().execute(async (tx) => {
      await sql`set local lock_timeout = '200ms'`.execute(tx)
      await sql`set local statement_timeout = 0`.execute(tx)
      if (isNeeded) {
        // In the order in which everybody locks them: who reads the table waits for all of its partitions.
        await sql`lock table only ${sql.table(table.name)}`.execute(tx)
        await sql`lock table ${sql.table(partition.name)}`.execute(tx)
        if (await isNeeded(tx)) return false
      }
      await sql`drop table ${sql.table(partition.name)}`.execute(tx)
      return true
    })
  } catch (error) {
    if (isLockTimeout(error)) return false
    throw error
  }
}

/**
 * Made apart and attached, because ATTACH takes a weaker lock than CREATE … PARTITION OF; the CHECK
 * spares it the scan.
 *
 * @param start of its period
 */
export async function createPartition(db: ProcessDb, table: PartitionedTable, start: Date) {
  const name = partitionName(table, start)
  const [from, to] = [start, startOfPeriod(table, start, 1)].map((time) =>
    table.by === 'week' ? firstIdAt(time) : time.toISOString().slice(0, 10),
  )
  const column = table.by === 'week' ? 'id' : 'day'
  await db.transaction().execute(async (tx) => {
    // Upkeep takes the time that it takes, whatever the connection is used for else.
    await sql`set local statement_timeout = 0`.execute(tx)
    await sql`set local lock_timeout = 0`.execute(tx)
    // Several processes start at once: the second waits here and then finds the partition.
    await sql`select pg_advisory_xact_lock(hashtext(${name}))`.execute(tx)
    const { rows } = await sql<{ found: boolean }>`
      select to_regclass(${name}) is not null as found`.execute(tx)
    if (rows[0]?.found) return
    await sql`
      create table ${sql.table(name)} (
        like ${sql.table(table.name)} including defaults including storage including constraints,
        constraint ${sql.ref(`${name}_range`)}
          check (${sql.ref(column)} >= ${sql.lit(from)} and ${sql.ref(column)} < ${sql.lit(to)})
      )`.execute(tx)
    await sql`
      alter table ${sql.table(table.name)} attach partition ${sql.table(name)}
      for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(tx)
    await sql`alter table ${sql.table(name)} drop constraint ${sql.ref(`${name}_range`)}`.execute(
      tx,
    )
  })
}

/** Weeks start on Monday, UTC. */
export function startOfPeriod(table: PartitionedTable, time: Date, step = 0): Date {
  const day = Math.floor(time.getTime() / dayMs)
  if (table.by === 'day') return new Date((day + step) * dayMs)
  const monday = day - ((day + 3) % 7)
  return new Date((monday + step * 7) * dayMs)
}

const partitionName = (table: PartitionedTable, start: Date) =>
  `${table.name}_${start.toISOString().slice(0, 10).replaceAll('-', '')}`

const dateOfName = (name: string) =>
  new Date(name.slice(-8).replace(/(\d{4})(\d\d)(\d\d)/, '$1-$2-$3T00:00:00Z'))
