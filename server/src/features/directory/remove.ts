import type { AnyDb } from '../../kernel/db/db.ts'
import { nameKey, profileKeys } from './identity.ts'
import * as queries from './queries.ts'
import { addCount, type TermCounts } from './terms.ts'
import { addTermCounts } from './vocabulary-queries.ts'

/** Everything that the directory has about one person: under the keys, and whatever is theirs as well. */
export async function findPerson(
  db: AnyDb,
  knownBy: string[],
  contactIds: string[],
): Promise<queries.FoundPerson[]> {
  const found = await queries.findByKeys(db, knownBy, contactIds)
  const keys = [...knownBy, ...found.flatMap(keysOf)]
  const companies = found.flatMap(({ company_id }) => company_id ?? [])
  const likely = await queries.findByProfiles(db, keys.flatMap(pathsOf))
  const same = likely.filter(({ linkedin_url }) => isAny(keys, profileKeys(linkedin_url)))
  const unaddressed = await queries.findWithoutAddress(db, companies)
  const namesakes = unaddressed.filter((contact) => isAny(keys, keysOf(contact)))
  const ids = [...found, ...same, ...namesakes].map(({ id }) => id)
  return await queries.findByKeys(db, keys, ids)
}

export async function removePerson(
  db: AnyDb,
  knownBy: string[],
  contactIds: string[],
): Promise<queries.RemovedContact[]> {
  const found = await findPerson(db, knownBy, contactIds)
  const ids = found.map(({ id }) => id)
  const removed = await queries.deleteContacts(db, ids)
  return await subtractTermCounts(db, removed)
}

const isAny = (keys: string[], of: string[]) => of.some((key) => keys.includes(key))

/** Takes the contacts out of the counts of the vocabulary. */
export async function subtractTermCounts<T extends { terms: string[] }>(
  db: AnyDb,
  removed: T[],
): Promise<T[]> {
  const counts: TermCounts = new Map()
  for (const { terms } of removed) addCount(counts, terms, -1)
  await addTermCounts(db, counts)
  return removed
}

/** Everybody of the companies at a domain or below it, or with an address there, and the companies. */
export async function removeDomain(
  db: AnyDb,
  domain: string,
  knownBy: string[],
  contactIds: string[],
): Promise<queries.RemovedContact[]> {
  const found = await queries.deleteByDomain(db, domain)
  const known = await queries.findByKeys(db, knownBy, contactIds)
  const others = await queries.deleteContacts(
    db,
    known.map(({ id }) => id),
  )
  await queries.deleteCompaniesByDomain(db, domain)
  return await subtractTermCounts(db, [...found, ...others])
}

/** By which a person would be known without the address. */
export function keysOf(contact: Omit<queries.NamedContact, 'id'>): string[] {
  const { first_name, last_name, linkedin_url, company_key } = contact
  const name = nameKey(first_name, last_name, company_key ?? undefined)
  return [...(linkedin_url === null ? [] : profileKeys(linkedin_url)), ...(name ? [name] : [])]
}

/** How the addresses of a profile may go on, in lower case. */
function pathsOf(key: string): string[] {
  const [, site, name] = /^l:(in|sales)\/(.+)$/.exec(key.toLowerCase()) ?? []
  if (site === 'in') return [`/in/${name}`, `/pub/${name}`]
  return site === 'sales' ? [`/lead/${name}`, `/people/${name}`] : []
}
