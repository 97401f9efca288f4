// Statements over every workspace: a rotation of the key is the installation's, and so is what it seals.
import { sql } from 'kysely'
import type { ProcessDb } from '../db/db.ts'
import type { SealedColumn, SealedCount } from './sealed-column.ts'

/** What a workspace has left that was moved to another database is sealed there, and deleted here. */
function notLeft({ key }: SealedColumn, gone: string[] | undefined) {
  if (!('workspace_id' in key)) return sql`true`
  return gone
    ? sql`workspace_id <> all(${gone}::uuid[])`
    : sql`workspace_id not in (select id from workspaces where moved_to is not null)`
}

/**
 * How many values each key has sealed. Reads every row.
 *
 * @param gone workspaces that other databases have; undefined: all that have left, wherever they are
 */
export async function countSealed(
  db: ProcessDb,
  columns: SealedColumn[],
  gone?: string[],
): Promise<SealedCount[]> {
  const counts: SealedCount[] = []
  for (const each of columns) {
    const { table, column, label } = each
    const { rows } = await sql<SealedCount>`/* cross-workspace: upkeep */
      select ${label} as label, ${keyIdOf(column)} as key_id, count(*)::int as count
      from ${sql.table(table)} where ${sql.ref(column)} is not null and ${notLeft(each, gone)}
      group by 2 order by 2`.execute(db)
    counts.push(...rows)
  }
  return counts
}

/** A row's primary key, as text. */
export type Key = Record<string, string>

export interface SealedValue {
  key: Key
  sealed: Buffer
}

/**
 * The next batch, in the order of the primary key, of what another key than the first has sealed.
 *
 * @param gone workspaces that other databases have
 */
export async function findForeign(
  db: ProcessDb,
  sealedColumn: SealedColumn,
  { keyId, gone }: { keyId: string; gone: string[] },
  after: Key | undefined,
  limit: number,
): Promise<SealedValue[]> {
  const { table, column, key } = sealedColumn
  const names = Object.keys(key)
  const columns = sql.join(names.map((name) => sql.ref(name)))
  const texts = sql.join(names.map((name) => sql`${sql.lit(name)}, ${sql.ref(name)}::text`))
  const begin = after && sql.join(names.map((name) => typed(after[name], key[name])))
  const { rows } = await sql<SealedValue>`/* cross-workspace: upkeep */
    select json_build_object(${texts}) as key, ${sql.ref(column)} as sealed
    from ${sql.table(table)}
    where ${sql.ref(column)} is not null and ${keyIdOf(column)} <> ${keyId}
      and ${notLeft(sealedColumn, gone)}
      and ${begin ? sql`(${columns}) > (${begin})` : sql`true`}
    order by ${columns}
    limit ${limit}`.execute(db)
  return rows
}

/** Only where the value still is what was read. @returns whether it was */
export async function replaceSealed(
  db: ProcessDb,
  { table, column, key: types }: SealedColumn,
  { key, sealed }: SealedValue,
  anew: Buffer,
): Promise<boolean> {
  const isRow = Object.keys(types).map(
    (name) => sql`${sql.ref(name)} = ${typed(key[name], types[name])}`,
  )
  const { numAffectedRows } = await sql`/* cross-workspace: upkeep */
    update ${sql.table(table)} set ${sql.ref(column)} = ${anew}
    where ${sql.join(isRow, sql` and `)} and ${sql.ref(column)} = ${sealed}`.execute(db)
  return Number(numAffectedRows ?? 0) > 0
}

const typed = (value: string | undefined, type = 'text') => sql`${value}::text::${sql.raw(type)}`

/** Its place in a sealed value: see `createSecretBox`. */
const keyIdOf = (column: string) =>
  sql<string>`encode(substring(${sql.ref(column)} from 2 for 4), 'hex')`
