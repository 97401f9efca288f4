import type { Db } from '../../../kernel/db/db.ts'
import { type Places, placesIn } from '../terms/index.ts'
import { type Condition, evaluate, rangesOf, type TermRange } from './condition.ts'
import { type PlaceSet, unionOf } from './places.ts'
import { PlacesCache } from './places-cache.ts'
import { type Block, findPages } from './queries.ts'

/** Who of the blocks meets the condition, by the number of the block; those without anybody are absent. */
export async function findMatches(
  db: Db,
  condition: Condition,
  blocks: Block[],
): Promise<Map<number, PlaceSet>> {
  const places = await readPlaces(db, rangesOf(condition), blocks)
  const matches = new Map<number, PlaceSet>()
  for (const [at, { block }] of blocks.entries()) {
    const met = evaluate(condition, (range) => places.get(range)?.[at])
    if (met) matches.set(block, met)
  }
  return matches
}

/** The places of each range, in the order of the blocks. */
async function readPlaces(db: Db, ranges: TermRange[], blocks: Block[]) {
  const cache = PlacesCache.of(db)
  const found = new Map(
    ranges.map((range) => [range, blocks.map((block) => cache?.get(block, range))]),
  )
  const missing: Missing[] = ranges.flatMap((range) =>
    blocks.flatMap((block, at) => (found.get(range)?.[at] ? [] : { range, block, at })),
  )
  for (const { range, block, at, places } of await readMissing(db, missing)) {
    cache?.set(block, range, places)
    ;(found.get(range) as Places[])[at] = places
  }
  return found
}

interface Missing {
  range: TermRange
  block: Block
  /** Where the block is among the others. */
  at: number
}

async function readMissing(db: Db, missing: Missing[]): Promise<(Missing & { places: Places })[]> {
  if (missing.length === 0) return []
  const bounds = missing.map(({ range }) => boundsOf(range))
  const pages = await findPages(
    db,
    bounds.map(({ first }) => first),
    bounds.map(({ last }) => last),
    missing.map(({ block }) => block.block),
  )
  const places = missing.map((): Places[] => [])
  for (const { asked, page } of pages) {
    const { first, last } = bounds[asked] as (typeof bounds)[number]
    places[asked]?.push(...placesIn(page, first, last))
  }
  return missing.map((each, asked) => ({ ...each, places: unionOf(places[asked] ?? []) }))
}

const boundsOf = ({ first, last }: TermRange) => ({
  first: Buffer.from(first, 'latin1'),
  last: Buffer.from(last, 'latin1'),
})
