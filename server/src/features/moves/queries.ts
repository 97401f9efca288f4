import { sql } from 'kysely'
import type { AnyDb, Db } from '../../kernel/db/db.ts'
import type { WorkspaceTable } from './tables.ts'

/** Whether a workspace is in a database, by its row there. */
export interface WorkspaceRow {
  id: string
  name: string
  handle: string
  moving_to: string | null
  moved_to: string | null
  timestamp_moving: Date | null
  /** Its rows are being deleted here, or were. */
  is_emptied: boolean
}

export const findWorkspaceRow = (db: Db, workspaceId: string): Promise<WorkspaceRow | undefined> =>
  db
    .selectFrom('workspaces')
    .select(['id', 'name', 'handle', 'moving_to', 'moved_to', 'timestamp_moving', 'is_emptied'])
    .where('id', '=', workspaceId)
    .executeTakeFirst()

/** Another workspace of this name or handle. One that has gone has left its handle alone. */
export const findNamesake = (db: AnyDb, { id, name, handle }: WorkspaceRow) =>
  db
    .selectFrom('workspaces')
    .select('id')
    .where('id', '<>', id)
    .where((is) =>
      is.or([is('name', '=', name).and('moved_to', 'is', null), is('handle', '=', handle)]),
    )
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()

/**
 * For the open transaction: it takes as long as it takes, and may write to a workspace that is kept as it
 * is. Values are written as text alike on every database.
 */
export const actAsMover = (tx: AnyDb) =>
  sql`
    select set_config('outrider.mover', 'on', true), set_config('timezone', 'UTC', true),
      set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true),
      set_config('idle_in_transaction_session_timeout', '0', true)`.execute(tx)

/** Until the transaction ends. @returns false while another move of the workspace is under way */
export async function lockMove(tx: Db, workspaceId: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended('move ' || ${workspaceId}::text, 0)) as locked`.execute(
    tx,
  )
  return rows[0]?.locked ?? false
}

/**
 * Mails that are claimed, or about to be sent, and mailboxes whose provider is being asked for a token: what
 * it puts in the place of a spent one has to be stored before they are copied.
 *
 * @param storedSince what was asked for under a lease that ended before this is stored by now, or never
 */
export async function countUnderWay(
  db: Db,
  workspaceId: string,
  storedSince: Date,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (
      (select count(*) from sends where workspace_id = ${workspaceId}::uuid and is_open)
      + (select count(*) from mailboxes
         where workspace_id = ${workspaceId}::uuid and token_lease_until > ${storedSince}::timestamptz)
    )::int as count`.execute(db)
  return rows[0]?.count ?? 0
}

export interface Sum {
  rows: number
  checksum: string
}

/** What a table has of the workspace, in whatever order its rows lie. */
export async function readSum(db: Db, table: WorkspaceTable, workspaceId: string): Promise<Sum> {
  const { rows } = await sql<Sum>`
    select count(*)::float8 as rows,
      coalesce(sum(hashtextextended(row(${columnsOf(table)})::text, 0)), 0)::text as checksum
    from ${sql.table(table.name)} where ${sql.ref(table.owner)} = ${workspaceId}::uuid`.execute(db)
  return rows[0] ?? { rows: 0, checksum: '0' }
}

const columnsOf = ({ columns }: WorkspaceTable) => sql.join(columns.map((name) => sql.ref(name)))

/** @returns how many there were */
export async function deleteRows(
  tx: Db,
  table: WorkspaceTable,
  workspaceId: string,
  most: number,
): Promise<number> {
  const key = sql.join(table.key.map((name) => sql.ref(name)))
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table.name)}
    where workspace_id = ${workspaceId}::uuid and (${key}) in (
      select ${key} from ${sql.table(table.name)}
      where workspace_id = ${workspaceId}::uuid
      order by ${key}
      limit ${most})`.execute(tx)
  return Number(numAffectedRows ?? 0)
}

// The fence. Two triggers on a table: a condition on an insert sees the new row alone, one on a delete
// the old one. The id is an identifier and a literal here, which take no parameters.

const fenceRows = ['new', 'old'] as const

const fenceNames = (workspaceId: string) =>
  fenceRows.map((row) => `outrider_fence_${workspaceId.replaceAll('-', '')}_${row}`)

/** Tables that have triggers of the workspace. */
export async function listFenced(db: AnyDb, workspaceId: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct c.relname as name
    from pg_trigger t
    join pg_class c on c.oid = t.tgrelid
    where t.tgname = any(${fenceNames(workspaceId)}::text[]) and not c.relispartition
    order by c.relname`.execute(db)
  return rows.map(({ name }) => name)
}

/** Waits for whoever is writing to the table, and then refuses all that is of the workspace. */
export async function createFence(
  tx: AnyDb,
  { name, owner }: WorkspaceTable,
  workspaceId: string,
): Promise<void> {
  const events = { new: 'insert', old: 'update or delete' }
  for (const [index, row] of fenceRows.entries()) {
    await sql`
      create or replace trigger ${sql.ref(fenceNames(workspaceId)[index] ?? '')}
      before ${sql.raw(events[row])} on ${sql.table(name)} for each row
      when (${sql.raw(row)}.${sql.ref(owner)} = ${sql.lit(workspaceId)})
      execute function outrider_fence(${sql.lit(workspaceId)})`.execute(tx)
  }
}

export async function dropFence(tx: AnyDb, name: string, workspaceId: string): Promise<void> {
  for (const trigger of fenceNames(workspaceId)) {
    await sql`drop trigger if exists ${sql.ref(trigger)} on ${sql.table(name)}`.execute(tx)
  }
}

/**
 * Of one statement of the open transaction that waits for a lock of a table: others wait behind it.
 *
 * @param isPastDeadlockCheck so much longer than PostgreSQL waits before it looks who has the lock, and calls
 *   an autovacuum off
 */
export const limitLockWait = (tx: AnyDb, ms: number, { isPastDeadlockCheck = false } = {}) =>
  sql`
    select set_config('lock_timeout', (
      ${ms}::integer + case when ${isPastDeadlockCheck}::boolean then setting::integer else 0 end)::text, true)
    from pg_settings
    where name = 'deadlock_timeout'`.execute(tx)
