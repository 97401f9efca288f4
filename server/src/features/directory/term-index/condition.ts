import type { Places } from './page.ts'
import { addPlaces, emptySet, intersect, type PlaceSet, unite } from './places.ts'
import type { Term } from './terms.ts'

/** What contacts have to have: one of the terms of a range, all conditions, or any of them. */
export type Condition = TermRange | { all: Condition[] } | { any: Condition[] }

/** The terms from `first` to `last` in byte order, both included. */
export interface TermRange {
  first: Term
  last: Term
}

export const has = (term: Term): Condition => ({ first: term, last: term })

// No byte of a text in UTF-8 is that high.
export const hasBeginning = (term: Term): Condition => ({ first: term, last: `${term}\u00ff` })

/** Met by everyone. */
export const anyone: Condition = { first: 'e0', last: 'e1' }

/** Every range that a condition asks for. */
export function rangesOf(condition: Condition): TermRange[] {
  if ('first' in condition) return [condition]
  return ('all' in condition ? condition.all : condition.any).flatMap(rangesOf)
}

/** Who of a block meets a condition; undefined: nobody. The set is the caller's. */
export function evaluate(
  condition: Condition,
  placesOf: (range: TermRange) => Places[],
): PlaceSet | undefined {
  if ('first' in condition) return union(placesOf(condition))
  if ('any' in condition) {
    let met: PlaceSet | undefined
    for (const each of condition.any) {
      const also = evaluate(each, placesOf)
      if (met && also) unite(met, also)
      met ??= also
    }
    return met
  }
  let met: PlaceSet | undefined
  for (const each of condition.all) {
    const only = evaluate(each, placesOf)
    if (!only) return undefined
    if (met) intersect(met, only)
    met ??= only
  }
  return met
}

function union(all: Places[]): PlaceSet | undefined {
  if (all.length === 0) return undefined
  const set = emptySet()
  for (const places of all) addPlaces(set, places)
  return set
}
