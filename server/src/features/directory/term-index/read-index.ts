import type { Db } from '../../../kernel/db/db.ts'
import { type Condition, evaluate, rangesOf, type TermRange } from './condition.ts'
import { type Places, placesIn } from './page.ts'
import type { PlaceSet } from './places.ts'
import { findPages } from './queries.ts'

/** Who meets the condition in the blocks from `first` to `last`; blocks without anybody are absent. */
export async function findMatches(
  db: Db,
  condition: Condition,
  first: number,
  last: number,
): Promise<Map<number, PlaceSet>> {
  const ranges = rangesOf(condition)
  const bounds = ranges.map((range) => ({
    first: Buffer.from(range.first, 'latin1'),
    last: Buffer.from(range.last, 'latin1'),
  }))
  const pages = await findPages(
    db,
    bounds.map((bound) => bound.first),
    bounds.map((bound) => bound.last),
    first,
    last,
  )
  const blocks = new Map<number, Map<TermRange, Places[]>>()
  for (const { range, block, page } of pages) {
    const { first, last } = bounds[range] as (typeof bounds)[number]
    const found = blocks.get(block) ?? new Map<TermRange, Places[]>()
    const places = found.get(ranges[range] as TermRange) ?? []
    places.push(...placesIn(page, first, last))
    found.set(ranges[range] as TermRange, places)
    blocks.set(block, found)
  }
  const matches = new Map<number, PlaceSet>()
  for (const [block, found] of blocks) {
    const met = evaluate(condition, (range) => found.get(range) ?? [])
    if (met) matches.set(block, met)
  }
  return matches
}
