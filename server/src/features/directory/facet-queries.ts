import { type RawBuilder, sql } from 'kysely'
import type { AnyDb } from '../../kernel/db/db.ts'
import { type Asked, all, isNotLeftOut, isWithin, meets } from './search-queries.ts'

export interface FacetTerm {
  kind: string
  value: string
  contacts: number
}

const valuesMost = 50

/** The most frequent terms of each kind among those found. */
export async function countFacetTerms(
  db: AnyDb,
  found: RawBuilder<unknown>,
  kinds: string[],
): Promise<FacetTerm[]> {
  const { rows } = await sql<FacetTerm>`
    with found as materialized (${found})
    select kind, value, contacts
    from (
      select left(term, 1) as kind, substr(term, 2) as value, count(*)::integer as contacts,
        row_number() over (partition by left(term, 1) order by count(*) desc, term) as place
      from found f
      join directory_contacts c on c.id = f.id
      cross join lateral unnest(tsvector_to_array(c.terms)) as term
      where left(term, 1) = any(${kinds}::text[])
      group by term) counted
    where place <= ${valuesMost}::integer
    order by kind, contacts desc, value`.execute(db)
  return rows
}

/** People who meet all groups on a part of the pages of the table, from 0 to 1. */
export const foundInPages = ({ groups, leftOut }: Asked, part: number) => sql`
  select id from directory_contacts tablesample system (${100 * part}::real) repeatable (1)
  where ${all([...meets(groups), ...isWithin(groups), ...isNotLeftOut(leftOut)])}`
