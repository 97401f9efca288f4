import { sql } from 'kysely'
import type { Context } from './context.ts'
import type { SecretBox } from './crypto.ts'
import type { Db } from './db/db.ts'

/** A column of sealed values; each feature names its own, and app.ts has the list. */
export interface SealedColumn {
  table: string
  column: string
  /** What the operator knows it by, in the plural. */
  label: string
  /** The columns of the primary key with their types, in its order. */
  key: Record<string, string>
  /** What a row's value is bound to. */
  purpose: (key: Record<string, string>) => string
  /** Its rows are gone within a day or two, and nothing stands still without them. */
  isShortLived?: boolean
}

export interface SealedCount {
  label: string
  key_id: string
  count: number
}

/** How many values each key has sealed. Reads every row. */
export async function countSealed(db: Db, columns: SealedColumn[]): Promise<SealedCount[]> {
  const counts: SealedCount[] = []
  for (const { table, column, label } of columns) {
    const { rows } = await sql<SealedCount>`/* cross-workspace: upkeep */
      select ${label} as label, ${keyIdOf(column)} as key_id, count(*)::int as count
      from ${sql.table(table)} where ${sql.ref(column)} is not null
      group by 2 order by 2`.execute(db)
    counts.push(...rows)
  }
  return counts
}

/** What no process with these keys can open, as one sentence; undefined when there is nothing. */
export async function findUnreadable(
  db: Db,
  { keyIds }: Pick<SecretBox, 'keyIds'>,
  columns: SealedColumn[],
): Promise<string | undefined> {
  const counts = await countSealed(
    db,
    columns.filter(({ isShortLived }) => !isShortLived),
  )
  const closed = counts.filter(({ key_id }) => !keyIds.includes(key_id))
  if (closed.length === 0) return undefined
  const parts = closed.map(({ count, label, key_id }) => `${count} ${label} with key ${key_id}`)
  return `OUTRIDER_SECRET_KEY lacks a key that is in use, so they cannot be opened: ${parts.join(', ')}`
}

export interface Resealed {
  resealed: number
  /** Sealed with a key that is not given here, or damaged. */
  unreadable: number
}

const batchMax = 500

/**
 * Seals everything with the first key, in batches. Each value is replaced only where it still is what
 * was read, so that it may run beside the service, more than once, and be broken off at any time.
 */
export async function resealAll(ctx: Context, columns: SealedColumn[]): Promise<Resealed> {
  const total: Resealed = { resealed: 0, unreadable: 0 }
  for (const column of columns) {
    let after: Key | undefined
    for (;;) {
      const rows = await findForeign(ctx, column, after)
      for (const row of rows) {
        const outcome = await resealRow(ctx, column, row)
        if (outcome) total[outcome] += 1
      }
      after = rows.at(-1)?.key
      if (rows.length < batchMax) break
    }
  }
  return total
}

/** A row's primary key, as text. */
type Key = Record<string, string>

/** The next batch, in the order of the primary key, of what another key than the first has sealed. */
async function findForeign(
  { db, secrets }: Context,
  { table, column, key }: SealedColumn,
  after: Key | undefined,
): Promise<{ key: Key; sealed: Buffer }[]> {
  const names = Object.keys(key)
  const columns = sql.join(names.map((name) => sql.ref(name)))
  const texts = sql.join(names.map((name) => sql`${sql.lit(name)}, ${sql.ref(name)}::text`))
  const begin = after && sql.join(names.map((name) => typed(after[name], key[name])))
  const { rows } = await sql<{ key: Key; sealed: Buffer }>`/* cross-workspace: upkeep */
    select json_build_object(${texts}) as key, ${sql.ref(column)} as sealed
    from ${sql.table(table)}
    where ${sql.ref(column)} is not null and ${keyIdOf(column)} <> ${secrets.keyId}
      and ${begin ? sql`(${columns}) > (${begin})` : sql`true`}
    order by ${columns}
    limit ${batchMax}`.execute(db)
  return rows
}

async function resealRow(
  { db, secrets }: Context,
  { table, column, key: types, purpose }: SealedColumn,
  { key, sealed }: { key: Key; sealed: Buffer },
): Promise<keyof Resealed | undefined> {
  const text = openOrNot(secrets, sealed, purpose(key))
  if (text === undefined) return 'unreadable'
  const anew = secrets.seal(text, purpose(key))
  const isRow = Object.keys(types).map(
    (name) => sql`${sql.ref(name)} = ${typed(key[name], types[name])}`,
  )
  const { numAffectedRows } = await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${anew}
    where ${sql.join(isRow, sql` and `)} and ${sql.ref(column)} = ${sealed}`.execute(db)
  return numAffectedRows ? 'resealed' : undefined
}

function openOrNot(secrets: SecretBox, sealed: Buffer, purpose: string): string | undefined {
  try {
    return secrets.open(sealed, purpose)
  } catch {
    return undefined
  }
}

const typed = (value: string | undefined, type = 'text') => sql`${value}::text::${sql.raw(type)}`

/** Its place in a sealed value: see `createSecretBox`. */
const keyIdOf = (column: string) =>
  sql<string>`encode(substring(${sql.ref(column)} from 2 for 4), 'hex')`
