import { quoted } from '../../kernel/db/tsvector.ts'
import type { Group, Word } from './filters.ts'
import type { CountedTerm } from './vocabulary-queries.ts'

/** A group as the database is asked for it, and what it costs. */
export interface CountedGroup {
  /** Each as a `tsquery`. */
  alternatives: string[]
  employees: Group['employees']
  words: number
  /** Of all contacts, from 0 to 1. */
  share: number
  /** Entries of the index that have to be read to find them all. */
  postings: number
}

export interface Search {
  /** The rarest first. */
  groups: CountedGroup[]
  /** Contacts in the directory. */
  contacts: number
  /** Of them those who are likely to meet all groups, from 0 to 1. */
  share: number
}

/**
 * How to find those who meet all groups. `walk`: look at the newest contacts one by one. `index`: by
 * the index of the rarest groups, and look at whether those found meet the others.
 */
export interface Plan {
  way: 'walk' | 'index'
  /** Groups that the index is read for. */
  indexed: number
  /** In microseconds, more or less. */
  cost: number
}

/** Above this a total is allowed to be an estimate (contract §8). */
export const exactMax = 10_000

/** Undefined for a word that nobody has. */
type CountOf = (word: Word) => CountedTerm | undefined

/**
 * What the vocabulary says of the groups.
 *
 * @param contacts in the directory
 * @returns undefined when nobody can meet one of them
 */
export function countGroups(
  groups: Group[],
  contacts: number,
  countOf: CountOf,
): Search | undefined {
  const counted: CountedGroup[] = []
  for (const { alternatives: asked, employees } of groups) {
    const alternatives = asked.flatMap((words) => countAlternative(words, contacts, countOf))
    if (alternatives.length === 0) return undefined
    const sum = (field: 'words' | 'share' | 'postings') =>
      alternatives.reduce((total, alternative) => total + alternative[field], 0)
    counted.push({
      alternatives: alternatives.map(({ text }) => text),
      employees,
      words: sum('words'),
      share: Math.min(1, sum('share')),
      postings: sum('postings') * (1 + alternatives.length / 20),
    })
  }
  counted.sort((a, b) => a.share - b.share)
  return { groups: counted, contacts, share: product(counted.map(({ share }) => share)) }
}

/** @returns nothing where nobody has one of the words; a beginning as the words that begin so */
function countAlternative(words: Word[], contacts: number, countOf: CountOf) {
  const counts = words.map(countOf)
  if (counts.includes(undefined)) return []
  const shares = words.map(
    ({ part }, at) => (part * Math.max(1, counts[at]?.contacts ?? 0)) / contacts,
  )
  const rarest = Math.min(...shares)
  // Some words go together and others do not: halfway between.
  const share = words.length === 1 ? rarest : Math.sqrt(rarest * product(shares))
  const values = counts[0]?.values ?? []
  const isBeginning = words[0]?.asPrefix === true
  const texts =
    isBeginning && values.length <= spelledOutMax
      ? values.map((value) => quoted(words[0]?.term.charAt(0) + value))
      : [words.map(textOf).join(' & ')]
  const least = Math.min(...counts.map((count) => count?.contacts ?? 0))
  // The index reads a beginning at twice the price.
  const postings = least * words.length * (isBeginning && values.length > spelledOutMax ? 2 : 1)
  return texts.map((text) => ({
    text,
    words: words.length,
    share: Math.max(1 / contacts, share / texts.length),
    postings: postings / texts.length,
  }))
}

/** More than this many values are not asked for one by one, but by their beginning. */
const spelledOutMax = 4

const textOf = ({ term, asPrefix }: Word) => quoted(term) + (asPrefix ? ':*' : '')

const product = (numbers: number[]) => numbers.reduce((all, number) => all * number, 1)

/** Every way to search, the cheapest first. */
export function listPlans({ groups, contacts, share }: Search): Plan[] {
  const words = (some: CountedGroup[]) => some.reduce((sum, each) => sum + each.words, 0)
  const enough = exactMax + 1
  const plans = groups.map((_, at): Plan => {
    const indexed = groups.slice(0, at + 1)
    const others = groups.slice(at + 1)
    const postings = indexed.reduce((sum, each) => sum + each.postings, 0)
    const found = product(indexed.map((group) => group.share)) * contacts
    const visited = Math.min(found, enough / product(others.map((group) => group.share)))
    const cost = 0.06 * postings + 0.15 * found + (2 + 0.04 * words(others)) * visited
    return { way: 'index', indexed: at + 1, cost }
  })
  // Of several long lists the index can be asked for one only.
  const possible = plans.filter(
    ({ indexed }) => groups.slice(0, indexed).filter(isLong).length <= 1 || indexed === 1,
  )
  if (groups.length === 0) possible.push({ way: 'index', indexed: 0, cost: 2 * contacts })
  if (groups.every((group) => group.share * contacts > exactMax) && contacts > exactMax) {
    const cost = (0.3 + 0.04 * words(groups)) * Math.min(contacts, enough / share)
    possible.push({ way: 'walk', indexed: 0, cost })
  }
  return possible.sort((a, b) => a.cost - b.cost)
}

export const cheapestIndex = (search: Search) =>
  listPlans(search).find(({ way }) => way === 'index') ?? { indexed: 0 }

/** So many alternatives are faster one by one than in one `tsquery`. */
export const isLong = ({ alternatives }: CountedGroup) => alternatives.length > longMin

const longMin = 16
