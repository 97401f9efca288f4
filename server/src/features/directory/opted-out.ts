import { sha256 } from '../../kernel/crypto.ts'
import type { AnyDb } from '../../kernel/db/db.ts'
import { domainOfAddress } from '../../kernel/email.ts'
import { domainsAbove } from './domain.ts'
import { findOptOuts, hasOptOuts } from './optout-queries.ts'

/**
 * The addresses, of these folded ones, whose owner asked to be removed: by the address, or with everybody
 * of its domain or of one above it.
 */
export async function findOptedOut(db: AnyDb, addresses: string[]): Promise<Set<string>> {
  const { hasAddress } = await readOptOuts(db, { addresses })
  return new Set(addresses.filter(hasAddress))
}

interface KnownPerson {
  contact_id: string
  /** Of the directory. */
  key?: string | undefined
  /** Null where none is known. */
  email_folded: string | null
}

/** The contacts, of these, whose owner asked to be removed, by what is known here or by another address of theirs. */
export async function findOptedOutContacts(
  db: AnyDb,
  contacts: KnownPerson[],
): Promise<Set<string>> {
  const { hasAddress, hasKey } = await readOptOuts(db, {
    addresses: contacts.flatMap(({ email_folded }) => email_folded ?? []),
    keys: contacts.flatMap(({ contact_id, key = contact_id }) => [contact_id, key]),
  })
  const optedOut = contacts.filter(
    ({ contact_id, key = contact_id, email_folded }) =>
      (email_folded !== null && hasAddress(email_folded)) || [contact_id, key].some(hasKey),
  )
  return new Set(optedOut.map(({ contact_id }) => contact_id))
}

interface Questions {
  /** Folded. */
  addresses?: string[]
  domains?: string[]
  /** Ids of contacts, and keys of persons without an address. */
  keys?: string[]
}

/** What of the opt-outs concerns some people. */
export async function readOptOuts(
  db: AnyDb,
  { addresses = [], domains = [], keys = [] }: Questions,
) {
  const above = new Set([...addresses.map(domainOfAddress), ...domains].flatMap(domainsAbove))
  const texts = Object.entries({ address: addresses, domain: [...above], contact: keys })
  const asked = texts.flatMap(([kind, some]) => some.map((text) => ({ kind, text })))
  // Most installations have none, and then there is nothing to hash.
  const isNone = asked.length === 0 || !(await hasOptOuts(db))
  const kinds = asked.map(({ kind }) => kind)
  const rows = isNone
    ? []
    : await findOptOuts(
        db,
        kinds,
        asked.map(({ text }) => sha256(text)),
      )
  const found = new Set(rows.map(({ kind, hash }) => nameOf(kind, hash)))
  const has = (kind: string, text: string) =>
    found.size > 0 && found.has(nameOf(kind, sha256(text)))
  const hasDomain = (domain: string) => domainsAbove(domain).some((each) => has('domain', each))
  return {
    hasDomain,
    hasAddress: (address: string) => has('address', address) || hasDomain(domainOfAddress(address)),
    hasKey: (key: string) => has('contact', key),
  }
}

const nameOf = (kind: string, hash: Buffer) => `${kind} ${hash.toString('base64')}`
