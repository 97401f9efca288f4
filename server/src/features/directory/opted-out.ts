import type { AnyContext } from '../../kernel/context.ts'
import { sha256 } from '../../kernel/crypto.ts'
import type { AnyDb } from '../../kernel/db/db.ts'
import { domainOfAddress } from '../../kernel/email.ts'
import { domainsAbove } from './domain.ts'
import { findOptOuts, hasOptOuts } from './optout-queries.ts'

/**
 * Those of the addresses, folded, whose owner asked to be removed: by the address, or with everybody
 * of its domain or of one above it.
 */
export async function findOptedOut(db: AnyDb, addresses: string[]): Promise<Set<string>> {
  const { hasAddress } = await readOptOuts(db, { addresses })
  return new Set(addresses.filter(hasAddress))
}

interface AcquiredPerson {
  contact_id: string
  email_folded: string
}

/** Those of the contacts whose owner asked to be removed, by this address or by another of theirs. */
export async function findOptedOutContacts(
  db: AnyDb,
  contacts: AcquiredPerson[],
): Promise<Set<string>> {
  const { hasAddress, hasKey } = await readOptOuts(db, {
    addresses: contacts.map(({ email_folded }) => email_folded),
    keys: contacts.map(({ contact_id }) => contact_id),
  })
  const optedOut = contacts.filter(
    ({ contact_id, email_folded }) => hasAddress(email_folded) || hasKey(contact_id),
  )
  return new Set(optedOut.map(({ contact_id }) => contact_id))
}

/** Whether the contact of this id was removed because somebody asked for it. */
export const isRemovedContact = async (ctx: AnyContext, id: string): Promise<boolean> =>
  (await readOptOuts(ctx.db, { keys: [id] })).hasKey(id)

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
