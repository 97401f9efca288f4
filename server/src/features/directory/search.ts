import type { RawBuilder } from 'kysely'
import type { AnyDb } from '../../kernel/db/db.ts'
import { quoted } from '../../kernel/db/tsvector.ts'
import { invalidField } from '../../kernel/errors.ts'
import { type Page, type PageRequest, toPage } from '../../kernel/http/page.ts'
import { exactly, type Group, groupsOf, inAnyKind, type Word } from './filters.ts'
import { cheapestIndex, countGroups, exactMax, listPlans, type Plan, type Search } from './plan.ts'
import * as queries from './queries.ts'
import type { DirectoryFilters } from './schema.ts'
import {
  type FoundIds,
  foundByIndex,
  foundByWalk,
  preferringIndexes,
  readFound,
} from './search-queries.ts'
import { respell } from './spelling.ts'
import { termsOf } from './terms.ts'
import { type CountedTerm, countTerms } from './vocabulary-queries.ts'

export interface FoundContacts extends Page<queries.FoundContact> {
  total: number
  total_is_estimate: boolean
}

/**
 * Contacts that meet all filters, newest first (descending id). No address is read.
 *
 * @param leftOut a query of ids of contacts to be left out, each once, in its only column
 */
export async function searchDirectory(
  db: AnyDb,
  filters: DirectoryFilters,
  page: PageRequest,
  leftOut?: RawBuilder<unknown>,
): Promise<FoundContacts> {
  const search = await readSearch(db, filters)
  const [plan] = search ? listPlans(search) : []
  if (!search || !plan) return { items: [], total: 0, total_is_estimate: false }
  const { total, ids } = await findContacts(db, search, plan, page, leftOut)
  const { items: found, ...cursor } = toPage(
    ids.map((id) => ({ id })),
    page.limit,
  )
  const shown = found.map(({ id }) => id)
  // Who is removed meanwhile is missing from the page, and ends it no earlier.
  const items = shown.length === 0 ? [] : await queries.findByIds(db, shown)
  return { items, ...cursor, total, total_is_estimate: total > exactMax }
}

/**
 * Addresses in the directory at a domain, and whose they are: what the pattern of its addresses is
 * learned from.
 */
export async function listKnownAddresses(
  db: AnyDb,
  domain: string,
  most: number,
): Promise<queries.KnownAddress[]> {
  const terms = [...termsOf.domain(domain), ...termsOf.address(`someone@${domain}`)]
  return await queries.findAddresses(db, terms.map(quoted).join(' | '), domain, most)
}

/** @returns undefined when the vocabulary says that nobody is meant */
export async function readSearch(
  db: AnyDb,
  filters: DirectoryFilters,
): Promise<Search | undefined> {
  const groups = groupsOf(filters)
  const known: Known = new Map()
  const everybody = [exactly('e0'), exactly('e1')]
  await count(db, [...everybody, ...wordsIn(groups)], known)
  const countOf = (word: Word) => known.get(keyOf(word))
  await respellUnknown(db, groups, (word) => countOf(word) !== undefined)
  await count(db, wordsIn(groups), known)
  const contacts = everybody.reduce((sum, word) => sum + (countOf(word)?.contacts ?? 0), 0)
  return contacts < 1 ? undefined : countGroups(groups, contacts, countOf)
}

const wordsIn = (groups: Group[]) => groups.flatMap(({ alternatives }) => alternatives.flat())

const keyOf = ({ term, asPrefix }: Word) => (asPrefix ? `${term}*` : term)

/** By `keyOf`; undefined for a word that nobody has. */
type Known = Map<string, CountedTerm | undefined>

/** Adds those of the words that were not asked for before. */
async function count(db: AnyDb, words: Word[], known: Known) {
  const asked = new Map(words.map((word) => [keyOf(word), word]))
  if (asked.size > wordsMax) {
    throw invalidField('/', 'The filters have more than 5,000 different words: give fewer of them.')
  }
  const others = [...asked].filter(([key]) => !known.has(key))
  if (others.length === 0) return
  const counted = await countTerms(
    db,
    others.map(([, word]) => word),
  )
  for (const [at, [key]] of others.entries()) {
    const term = counted[at]
    known.set(key, term?.values ? term : undefined)
  }
}

/** And the number of all contacts. */
const wordsMax = 5002

/** Replaces a word of the query that begins none of the vocabulary by those that are spelt like it. */
async function respellUnknown(db: AnyDb, groups: Group[], isKnown: (word: Word) => boolean) {
  for (const group of groups) {
    if (!group.sought?.asPrefix || group.alternatives.flat().some(isKnown)) continue
    const words = await respell(db, group.sought.piece)
    group.alternatives = words.flatMap((piece) => inAnyKind({ piece, asPrefix: true }))
  }
}

/** Ids of the page and one more, where there is one, and how many there are. */
export async function findContacts(
  db: AnyDb,
  search: Search,
  plan: Plan,
  { limit, startingAfter }: PageRequest,
  leftOut?: RawBuilder<unknown>,
): Promise<FoundIds> {
  const asked = { groups: search.groups, leftOut }
  const page = { below: startingAfter, limit: limit + 1 }
  const most = exactMax + 1
  const rowsFor = (wanted: number, share: number) =>
    Math.min(rowsMax, Math.ceil(wanted / Math.max(share, most / search.contacts)))
  const { indexed } = plan.way === 'index' ? plan : cheapestIndex(search)
  return await preferringIndexes(db, findIn)

  async function findIn(tx: AnyDb): Promise<FoundIds> {
    if (plan.way === 'walk') {
      const rows = rowsFor(3 * most, search.share)
      const { total, ids } = await readFound(tx, foundByWalk(asked, rows), most, page)
      if (total === most && ids.length === page.limit) return { total: estimate(search), ids }
      if (total === most) return { total: estimate(search), ids: await listPage(tx) }
    }
    // A walk that found too few does not tell how many there are.
    const { total, ids } = await readFound(tx, foundByIndex(asked, indexed), most, page)
    if (total < most) return { total, ids }
    return { total: estimate(search), ids: await listPage(tx) }
  }

  /** Of more than the index was asked for. */
  async function listPage(tx: AnyDb): Promise<string[]> {
    const rows = rowsFor(6 * page.limit, search.share)
    const walked = foundByWalk(asked, rows, page.below)
    const { ids } = await readFound(tx, walked, page.limit, page)
    if (ids.length === page.limit) return ids
    return (await readFound(tx, foundByIndex(asked, indexed, page.below), null, page)).ids
  }
}

/** What is likely of more than are counted. */
const estimate = ({ contacts, share }: Search) =>
  Math.max(exactMax + 1, Math.round(contacts * share))

/** A walk over more takes longer than the index. */
const rowsMax = 400_000
