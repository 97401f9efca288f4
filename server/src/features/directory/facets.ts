import type { RawBuilder } from 'kysely'
import type { AnyDb } from '../../kernel/db/db.ts'
import { countFacetTerms, foundInPages } from './facet-queries.ts'
import { cheapestIndex, exactMax, type Search } from './plan.ts'
import type { DirectoryFilters } from './schema.ts'
import { readSearch } from './search.ts'
import { foundByIndex, preferringIndexes } from './search-queries.ts'
import { rangeStarts } from './terms.ts'

/** How many contacts a search would give with a value, instead of those that it asks for. */
interface FacetValue {
  value: string
  contacts: number
}

interface Facet {
  values: FacetValue[]
  /** Whether they were reckoned from some of the contacts. */
  is_estimate: boolean
}

/** By the filter that takes their values. */
const kinds = {
  seniorities: 's',
  industries: 'i',
  countries: 'l',
  employee_count: 'z',
} as const

type FacetName = keyof typeof kinds
export type Facets = Record<FacetName, Facet>

const names = Object.keys(kinds) as FacetName[]

/**
 * What each value of a facet would give: with the text and all filters except the facet's own, which
 * a further value would add to. Facets that ask for nothing share a count.
 *
 * @param leftOut as for `searchDirectory`
 */
export async function countFacets(
  db: AnyDb,
  filters: DirectoryFilters,
  leftOut?: RawBuilder<unknown>,
): Promise<Facets> {
  const chosen = names.filter((name) => isAsked(filters[name]))
  const others = names.filter((name) => !chosen.includes(name))
  const counted = [...(others.length > 0 ? await countOf(db, filters, others, leftOut) : [])]
  for (const name of chosen) {
    counted.push(...(await countOf(db, { ...filters, [name]: undefined }, [name], leftOut)))
  }
  return Object.fromEntries(counted) as Facets
}

const isAsked = (filter: DirectoryFilters[FacetName]) =>
  Array.isArray(filter) ? filter.length > 0 : filter !== undefined

async function countOf(
  db: AnyDb,
  filters: DirectoryFilters,
  facets: FacetName[],
  leftOut: RawBuilder<unknown> | undefined,
): Promise<[FacetName, Facet][]> {
  const search = await readSearch(db, filters)
  const part = search && pagesPartFor(search)
  const asked = search && { groups: search.groups, leftOut }
  const found =
    asked &&
    (part === undefined
      ? foundByIndex(asked, cheapestIndex(search).indexed)
      : foundInPages(asked, part))
  const letters = facets.map((name) => kinds[name])
  const rows = found ? await preferringIndexes(db, (tx) => countFacetTerms(tx, found, letters)) : []
  const scale = 1 / (part ?? 1)
  return facets.map((name) => [
    name,
    {
      values: rows
        .filter(({ kind }) => kind === kinds[name])
        .map(({ value, contacts }) => ({
          value: name === 'employee_count' ? startOf(value) : value,
          contacts: Math.round(contacts * scale),
        })),
      is_estimate: scale > 1,
    },
  ])
}

/** Of a range of sizes, by its letter. */
const startOf = (letter: string) => String(rangeStarts[letter.charCodeAt(0) - 97] ?? 0)

/**
 * Many are met on any page of the table, and few by the index alone: whichever looks at fewer.
 *
 * @returns undefined: all of them are counted by the index
 */
function pagesPartFor({ contacts, share }: Search): number | undefined {
  const likely = contacts * share
  const part = Math.min(1, sampleSize / likely)
  return likely > exactMax && contacts * part < byIndexFactor * likely ? part : undefined
}

/** So many contacts tell how the others are spread: 1 % of them by a quarter. */
const sampleSize = 2000
/** A contact that the index finds lies on a page of its own, which takes as long as so many in a row. */
const byIndexFactor = 20
