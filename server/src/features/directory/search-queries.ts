import { type RawBuilder, sql } from 'kysely'
import type { AnyDb } from '../../kernel/db/db.ts'
import { type CountedGroup, isLong } from './plan.ts'

/** A condition on a contact, by its columns `id`, `terms` and `employees`. */
type Condition = RawBuilder<unknown>

/**
 * Until the transaction ends no table is scanned where an index can be used, and a bitmap has room for
 * every row that an index finds. The form of the statements below then leaves one plan.
 */
export const preferIndexes = async (tx: AnyDb) => {
  await sql`
    select set_config('enable_seqscan', 'off', true), set_config('work_mem', '16MB', true)`.execute(
    tx,
  )
}

export interface Asked {
  groups: CountedGroup[]
  /** Contacts that are left out, a query with one column. */
  without: RawBuilder<unknown> | undefined
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

/** By the index of the first groups. With fewer than `most` found the page is exact. */
export const findByIndex = (
  db: AnyDb,
  asked: Asked,
  indexed: number,
  most: number,
  page: PageAsked,
) => readFound(db, sql`${foundByIndex(asked, indexed, sql`true`)} limit ${most}::integer`, page)

/** Looks at the newest `rows`. The page is exact where it is full. */
export const findByWalk = (db: AnyDb, asked: Asked, rows: number, most: number, page: PageAsked) =>
  readFound(db, sql`${foundByWalk(asked, rows, sql`true`)} limit ${most}::integer`, page)

async function readFound(db: AnyDb, found: RawBuilder<unknown>, { below, limit }: PageAsked) {
  const { rows } = await sql<FoundIds>`
    with found as materialized (${found})
    select (select count(*) from found)::integer as total,
      array(
        select id from found where ${isBelow(below)} order by id desc limit ${limit}::integer
      )::text[] as ids`.execute(db)
  return rows[0] ?? { total: 0, ids: [] }
}

/** The page alone, looking at `rows` contacts: it may not fill it. */
export async function listByWalk(
  db: AnyDb,
  asked: Asked,
  rows: number,
  { below, limit }: PageAsked,
) {
  const found = await sql<{ id: string }>`
    ${foundByWalk(asked, rows, isBelow(below))} limit ${limit}::integer`.execute(db)
  return found.rows.map(({ id }) => id)
}

/** The page alone, all contacts below the cursor sorted. */
export async function listByIndex(
  db: AnyDb,
  asked: Asked,
  indexed: number,
  { below, limit }: PageAsked,
) {
  const found = await sql<{ id: string }>`
    with found as materialized (${foundByIndex(asked, indexed, isBelow(below))})
    select id from found order by id desc limit ${limit}::integer`.execute(db)
  return found.rows.map(({ id }) => id)
}

const isBelow = (id: string | undefined): Condition =>
  id === undefined ? sql`true` : sql`id < ${id}::uuid`

function foundByWalk({ groups, without }: Asked, rows: number, bound: Condition) {
  return sql`
    select id
    from (
      select id, terms, employees
      from directory_contacts
      where ${bound}
      order by id desc
      limit ${rows}::integer
    ) newest
    where ${all([...meets(groups), ...isWithin(groups), ...isNotIn(without)])}`
}

export function foundByIndex({ groups, without }: Asked, indexed: number, bound: Condition) {
  const [first, others] = [groups.slice(0, indexed), groups.slice(indexed)]
  // In this form a condition is none for another index, whose bitmap would take longer than a look.
  const isTrue = (condition: Condition) => sql`(${condition}) is true`
  const checked = [...meets(others), ...isWithin(others)].map(isTrue)
  const below = indexed === 0 ? bound : isTrue(bound)
  const rest = [...checked, ...isWithin(first), ...isNotIn(without), below]
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

export const isNotIn = (without: RawBuilder<unknown> | undefined): Condition[] =>
  without ? [sql`id not in (${without})`] : []
