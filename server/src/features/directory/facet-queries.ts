import { sql } from 'kysely'
import type { AnyDb } from '../../kernel/db/db.ts'
import { type Asked, all, foundByIndex, isNotIn, isWithin, meets } from './search-queries.ts'

export { preferIndexes } from './search-queries.ts'

/** By the index of the first groups, or of the pages of the table a part, from 0 to 1. */
export type Sample = { indexed: number } | { pagesPart: number }

export interface FacetTerm {
  kind: string
  value: string
  contacts: number
}

const valuesMost = 50

/** The most frequent terms of each kind among those who meet all groups, or a sample of them. */
export async function countFacetTerms(
  db: AnyDb,
  asked: Asked,
  sample: Sample,
  kinds: string[],
): Promise<FacetTerm[]> {
  const { rows } = await sql<FacetTerm>`
    with found as materialized (${foundIn(asked, sample)})
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

function foundIn(asked: Asked, sample: Sample) {
  if ('indexed' in sample) return foundByIndex(asked, sample.indexed)
  const conditions = [...meets(asked.groups), ...isWithin(asked.groups), ...isNotIn(asked.without)]
  return sql`
    select id from directory_contacts tablesample system (${100 * sample.pagesPart}::real) repeatable (1)
    where ${all(conditions)}`
}
