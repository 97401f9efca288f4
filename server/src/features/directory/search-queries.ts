import { type RawBuilder, sql } from 'kysely'
import type { AnyDb } from '../../kernel/db/db.ts'
import { type CountedGroup, isLong } from './plan.ts'

/** A condition on a contact, by its columns `id`, `terms` and `employees`. */
type Condition = RawBuilder<unknown>

/**
 * Until the transaction ends no table is scanned where an index can be used, and a bitmap has room for
 * every row that an index finds. The form of the statements below then leaves one plan.
 */
export async function preferringIndexes<T>(db: AnyDb, work: (tx: AnyDb) => Promise<T>): Promise<T> {
  const prefer = async (tx: AnyDb) => {
    await sql`
      select set_config('enable_seqscan', 'off', true), set_config('work_mem', '16MB', true)`.execute(
      tx,
    )
    return await work(tx)
  }
  // A search with an Idempotency-Key is in one already.
  return db.isTransaction ? await prefer(db) : await db.transaction().execute(prefer)
}

export interface Asked {
  groups: CountedGroup[]
  /** Contacts that are left out, each once: a query with one column, which has an index. */
  leftOut: RawBuilder<unknown> | undefined
}

export interface PageAsked {
  /** Ids below it; undefined: all. */
  below: string | undefined
  limit: number
}

export interface FoundIds {
  /** How many were found, `most` at most. */
  total: number
  /** Of them those of the page, newest first. */
  ids: string[]
}

/**
 * Of those who are found by the index, or by the walk, with as many as it looks at.
 *
 * @param most of them that are looked for; null: all
 */
export async function readFound(
  db: AnyDb,
  found: RawBuilder<unknown>,
  most: number | null,
  { below, limit }: PageAsked,
): Promise<FoundIds> {
  const { rows } = await sql<FoundIds>`
    with found as materialized (${found} limit ${most}::integer)
    select (select count(*) from found)::integer as total,
      array(
        select id from found where ${isBelow(below)} order by id desc limit ${limit}::integer
      )::text[] as ids`.execute(db)
  return rows[0] ?? { total: 0, ids: [] }
}

const isBelow = (id: string | undefined): Condition =>
  id === undefined ? sql`true` : sql`id < ${id}::uuid`

/** Looks at the newest `rows`. A page of those found is exact where it is full. */
export const foundByWalk = ({ groups, leftOut }: Asked, rows: number, below?: string) => sql`
    select id
    from (
      select id, terms, employees
      from directory_contacts
      where ${isBelow(below)}
      order by id desc
      limit ${rows}::integer
    ) newest
    where ${all([...meets(groups), ...isWithin(groups), ...isNotLeftOut(leftOut)])}`

/** By the index of the first groups. A page is exact where all of them are read. */
export function foundByIndex({ groups, leftOut }: Asked, indexed: number, below?: string) {
  const [first, others] = [groups.slice(0, indexed), groups.slice(indexed)]
  // In this form a condition is none for another index, whose bitmap would take longer than a look.
  const isTrue = (condition: Condition) => sql`(${condition}) is true`
  const checked = [...meets(others), ...isWithin(others)].map(isTrue)
  const bound = indexed === 0 ? isBelow(below) : isTrue(isBelow(below))
  const rest = [...checked, ...isWithin(first), ...isNotLeftOut(leftOut), bound]
  const long = first.find(isLong)
  if (!long) return sql`select id from directory_contacts where ${all([...meets(first), ...rest])}`
  const more = first.filter((group) => group !== long)
  const queries = long.alternatives.map((text) => [`(${text})`, ...more.map(textOf)].join(' & '))
  // One tsquery of hundreds of alternatives would take the index a second.
  return sql`
    select distinct id
    from unnest(${queries}::tsquery[]) as asked (query)
    cross join lateral (
      select id from directory_contacts where terms @@ asked.query and ${all(rest)} offset 0
    ) found`
}

export const all = (conditions: Condition[]): Condition =>
  conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)

/** One condition for all groups. */
export const meets = (groups: CountedGroup[]): Condition[] =>
  groups.length === 0 ? [] : [sql`terms @@ ${groups.map(textOf).join(' & ')}::tsquery`]

const textOf = ({ alternatives }: CountedGroup) =>
  `(${alternatives.map((text) => `(${text})`).join(' | ')})`

export const isWithin = (groups: CountedGroup[]): Condition[] =>
  groups.flatMap(({ employees }) =>
    employees
      ? [sql`employees between ${employees.min}::integer and ${employees.max}::integer`]
      : [],
  )

// Each is looked up by key: a list of all would not fit into memory sometime, and be read for each contact.
// In this form it is no join either.
export const isNotLeftOut = (leftOut: RawBuilder<unknown> | undefined): Condition[] =>
  leftOut
    ? [
        sql`(
          select true from (${leftOut}) as left_out (contact_id) where left_out.contact_id = id
        ) is not true`,
      ]
    : []
