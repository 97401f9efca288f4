import type { ContactFacets } from '../../api/generated/types.gen.ts'
import { numberText } from '../../lib/number.ts'
import { type CompanySize, sizes } from './search.ts'

/** How many contacts a value of a filter would give; undefined where nobody knows. */
export type CountOf = (value: string) => number | undefined

export const shownCount = (count: number, isEstimate: boolean) =>
  `${isEstimate ? '≈ ' : ''}${numberText(count)}`

/** As the directory compares them. */
const plain = (value: string) =>
  value
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** Values that are not among those counted have nobody, unless only the most frequent are known. */
export function countsOf({ values }: ContactFacets['countries']): CountOf {
  const counts = new Map(values.map(({ value, contacts }) => [plain(value), contacts]))
  const isWhole = values.length < valuesMost
  return (value) => counts.get(plain(value)) ?? (isWhole ? 0 : undefined)
}

/** As the server ends. */
const valuesMost = 50

/** The directory writes codes, people read names. */
export function countryCounts(facet: ContactFacets['countries']): CountOf {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
  const nameOf = (value: string) => (value.length === 2 ? names.of(value.toUpperCase()) : undefined)
  const values = facet.values.map((each) => ({ ...each, value: nameOf(each.value) ?? each.value }))
  return countsOf({ ...facet, values })
}

/** Of all ranges of the directory that lie in a size. */
export function countOfSize({ values }: ContactFacets['employee_count'], name: CompanySize) {
  const { min, max }: { min: number; max?: number } = sizes[name]
  return values
    .filter(({ value }) => Number(value) >= min && Number(value) <= (max ?? Number.MAX_VALUE))
    .reduce((sum, { contacts }) => sum + contacts, 0)
}
