import type { Places, Term } from '../terms/index.ts'
import { addPlaces, emptySet, intersect, isNobody, type PlaceSet, unite } from './places.ts'

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

/** Every range that a condition asks for, each once. */
export const rangesOf = (condition: Condition): TermRange[] => [...new Set(allRangesOf(condition))]

function allRangesOf(condition: Condition): TermRange[] {
  if ('first' in condition) return [condition]
  return ('all' in condition ? condition.all : condition.any).flatMap(allRangesOf)
}

/** The same where equal ranges are one object, which is read once. */
export function uniteRanges(condition: Condition, known = new Map<string, TermRange>()): Condition {
  if ('all' in condition) return { all: condition.all.map((each) => uniteRanges(each, known)) }
  if ('any' in condition) return { any: condition.any.map((each) => uniteRanges(each, known)) }
  const key = `${condition.first} ${condition.last}`
  const range = known.get(key) ?? condition
  known.set(key, range)
  return range
}

type PlacesOf = (range: TermRange) => Places | undefined

/** Who of a block meets a condition; undefined: nobody. The set is the caller's. */
export function evaluate(condition: Condition, placesOf: PlacesOf): PlaceSet | undefined {
  if (!('all' in condition)) {
    const set = emptySet()
    return addThoseWho(set, condition, placesOf) ? set : undefined
  }
  // Of a thousand titles nearly all have a word that the block does not.
  if (condition.all.some((each) => 'first' in each && !hasAnybody(placesOf(each)))) return undefined
  let met: PlaceSet | undefined
  for (const each of condition.all) {
    const only = evaluate(each, placesOf)
    if (!only) return undefined
    if (met) intersect(met, only)
    met ??= only
  }
  return met
}

const hasAnybody = (places: Places | undefined): places is Places =>
  places !== undefined && !isNobody(places)

/** @returns whether anybody meets the condition */
function addThoseWho(set: PlaceSet, condition: Condition, placesOf: PlacesOf): boolean {
  if ('first' in condition) {
    const places = placesOf(condition)
    if (!hasAnybody(places)) return false
    addPlaces(set, places)
    return true
  }
  if ('any' in condition) {
    return condition.any.map((each) => addThoseWho(set, each, placesOf)).includes(true)
  }
  const met = evaluate(condition, placesOf)
  if (met) unite(set, met)
  return met !== undefined
}
