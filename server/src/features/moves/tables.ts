import { sql } from 'kysely'
import type { AnyDb, ProcessDb } from '../../kernel/db/db.ts'
import { createPartition, listPartitions } from '../../kernel/db/partitions.ts'

/** A table with rows of workspaces, as the catalogue has it. */
export interface WorkspaceTable {
  name: string
  /** That says whose a row is. */
  owner: 'workspace_id' | 'id'
  /** Without those that the database computes. */
  columns: string[]
  /** Of its primary key. */
  key: string[]
  /** Tables that its foreign keys lead to. */
  refers_to: string[]
  /** What it is cut by, if it is. */
  cut_by: 'id' | 'day' | null
}

/**
 * Every table that has rows of a workspace, `workspaces` the first of them: each comes after those that it
 * refers to. From the catalogue, so that a table that is added is moved without a word here.
 */
export async function listWorkspaceTables(db: AnyDb): Promise<WorkspaceTable[]> {
  const { rows } = await sql<Omit<WorkspaceTable, 'owner' | 'cut_by'> & { cut_by: string | null }>`
    select c.relname as name,
      array(
        select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
        order by a.attnum
      ) as columns,
      array(
        select a.attname::text
        from pg_index i
        cross join lateral unnest(i.indkey) with ordinality as k (number, place)
        join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
        where i.indrelid = c.oid and i.indisprimary
        order by k.place
      ) as key,
      array(
        select distinct f.relname::text
        from pg_constraint r
        join pg_class f on f.oid = r.confrelid
        where r.conrelid = c.oid and r.contype = 'f' and r.confrelid <> c.oid
        order by 1
      ) as refers_to,
      substring(pg_get_partkeydef(c.oid) from '^RANGE \\((\\w+)\\)$') as cut_by
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace
      and c.relkind in ('r', 'p') and not c.relispartition
      and (c.relname = 'workspaces' or exists (
        select from pg_attribute a
        where a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped))
    order by c.relname <> 'workspaces', c.relname`.execute(db)
  return inOrder(
    rows.map((row) => ({
      ...row,
      owner: row.name === 'workspaces' ? 'id' : 'workspace_id',
      cut_by: row.cut_by as WorkspaceTable['cut_by'],
    })),
  )
}

/** @throws when a foreign key leads to a table that is not moved, or tables refer to each other */
function inOrder(tables: WorkspaceTable[]): WorkspaceTable[] {
  const byName = new Map(tables.map((table) => [table.name, table]))
  const ordered = new Set<WorkspaceTable>()
  const open = new Set<string>()
  const place = ({ name, refers_to }: WorkspaceTable) => {
    const table = byName.get(name)
    if (!table || ordered.has(table)) return
    if (open.has(name)) throw new Error(`${name} refers to itself by way of other tables.`)
    open.add(name)
    for (const other of refers_to) {
      const needed = byName.get(other)
      if (!needed) throw new Error(`${name} refers to ${other}, which belongs to no workspace.`)
      place(needed)
    }
    ordered.add(table)
  }
  for (const table of tables) place(table)
  return [...ordered]
}

/** Makes the partitions of the source that the target lacks: a row without one cannot be copied. */
export async function makePartitions(
  source: ProcessDb,
  target: ProcessDb,
  tables: WorkspaceTable[],
) {
  for (const { name, cut_by } of tables) {
    if (cut_by === null) continue
    const table = { name, by: cut_by === 'id' ? 'week' : 'day' } as const
    const existing = new Set((await listPartitions(target, table)).map((each) => each.name))
    for (const partition of await listPartitions(source, table)) {
      if (!existing.has(partition.name)) await createPartition(target, table, partition.start)
    }
  }
}

/**
 * Until the transaction ends no partition of these is dropped, which takes the lock of its table first, and
 * others can still be made.
 */
export async function lockPartitions(target: ProcessDb, tables: WorkspaceTable[]) {
  for (const { name, cut_by } of tables) {
    if (cut_by === null) continue
    await sql`lock table only ${sql.table(name)} in row exclusive mode`.execute(target)
  }
}
