import type { AnyContext } from '../../kernel/context.ts'
import { sha256 } from '../../kernel/crypto.ts'
import type { AnyDb } from '../../kernel/db/db.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { domainOfAddress, parseEmail } from '../../kernel/email.ts'
import { invalidField } from '../../kernel/errors.ts'
import { domainOf, domainsAbove } from './domain.ts'
import { addressIn, addressKey, companyKey } from './identity.ts'
import * as queries from './queries.ts'
import { findPerson, keysOf, removeDomain, removePerson } from './remove.ts'
import type { ShownContact } from './schema.ts'

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

/** Who asks to be removed: an address or a domain, folded. */
export interface OptOutRequest {
  kind: 'address' | 'domain'
  value: string
}

/** @throws when it is neither */
export function readOptOut(addressOrDomain: string): OptOutRequest {
  const kind = addressOrDomain.includes('@') ? 'address' : 'domain'
  const value = kind === 'address' ? parseEmail(addressOrDomain)?.folded : domainOf(addressOrDomain)
  if (value !== undefined) return { kind, value }
  throw invalidField('/', 'It must be an e-mail address, or a domain such as example.com.')
}

/** What a workspace was shown of a contact. */
type ShownPerson = Pick<ShownContact, 'first_name' | 'last_name' | 'company'> & {
  linkedin_url: string | null
}

/**
 * All that the person with an address, folded, is known by: their keys, which are the same in every
 * database. Nothing is changed.
 *
 * @param contactIds others who are known to be them
 * @param shown what is known of them beside the directory
 */
export async function findKeysOf(
  db: AnyDb,
  address: string,
  contactIds: string[],
  shown: ShownPerson[],
): Promise<string[]> {
  const keys = shown.flatMap(({ company, ...person }) =>
    keysOf({ ...person, company_key: company && companyKey(company.domain, company.name) }),
  )
  const found = await findPerson(db, [addressKey(address), ...keys], contactIds)
  return [...new Set([...keys, ...found.flatMap((each) => [each.key, ...keysOf(each)])])]
}

export interface OptedOut {
  kind: OptOutRequest['kind']
  contacts_removed: number
  /** Of those who were removed now. */
  contact_ids: string[]
}

/**
 * From now on nobody with this address, or of this domain and those below it, is found, revealed or
 * imported again. What the directory has of them is deleted; what is kept tells nothing but that.
 *
 * @param contactIds others who are known to be meant
 * @param keys that the person with the address is known by
 */
export async function optOut(
  ctx: AnyContext,
  addressOrDomain: string,
  contactIds: string[] = [],
  keys: string[] = [],
): Promise<OptedOut> {
  const { kind, value } = readOptOut(addressOrDomain)
  const removed = await transaction(ctx, async (tx) => {
    await queries.lockDirectory(tx.db)
    const contacts =
      kind === 'address'
        ? await removePerson(tx.db, [addressKey(value), ...keys], contactIds)
        : await removeDomain(tx.db, value, contactIds)
    await remember(tx, { kind, value }, contacts, keys)
    return contacts
  })
  return { kind, contacts_removed: removed.length, contact_ids: removed.map(({ id }) => id) }
}

/** Whoever was removed is refused by all that they could come again by. */
async function remember(
  { db, now }: AnyContext,
  { kind, value }: OptOutRequest,
  removed: queries.RemovedContact[],
  keys: string[],
) {
  const contacts = removed
    .flatMap((contact) => [contact.id, ...(kind === 'address' ? keysOf(contact) : [])])
    .concat(keys.filter((key) => addressIn(key) === undefined))
  const isAtDomain = (address: string) =>
    kind === 'domain' && domainsAbove(domainOfAddress(address)).includes(value)
  const addresses = [...removed.map(({ key }) => key), ...keys]
    .flatMap((key) => addressIn(key) ?? [])
    .filter((address) => !isAtDomain(address))
  const timestamp_created = now()
  const rowsOf = (as: string, texts: string[]) =>
    texts.map((text) => ({ kind: as, hash: hashOf(text), timestamp_created }))
  await queries.insertOptOuts(db, [
    ...rowsOf(kind, [value]),
    ...rowsOf('contact', contacts),
    ...rowsOf('address', addresses),
  ])
}

const copiedAtOnce = 5000

/** Whoever is refused by one database is refused by the other one, too. It may be broken off and begun anew. */
export async function copyOptOuts(from: AnyDb, to: AnyDb): Promise<void> {
  let place: queries.OptOut | undefined = { kind: '', hash: Buffer.alloc(0) }
  while (place) {
    const optouts: queries.StoredOptOut[] = await queries.listOptOuts(from, place, copiedAtOnce)
    if (optouts.length > 0) await insertCopied(to, optouts)
    place = optouts.length < copiedAtOnce ? undefined : optouts.at(-1)
  }
}

const insertCopied = (to: AnyDb, optouts: queries.StoredOptOut[]) =>
  to.transaction().execute(async (tx) => {
    // An import that has asked already whom it must not add comes to its end before.
    await queries.lockDirectory(tx)
    await queries.insertOptOuts(tx, optouts)
  })

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
  const isNone = asked.length === 0 || !(await queries.hasOptOuts(db))
  const kinds = asked.map(({ kind }) => kind)
  const rows = isNone
    ? []
    : await queries.findOptOuts(
        db,
        kinds,
        asked.map(({ text }) => hashOf(text)),
      )
  const found = new Set(rows.map(({ kind, hash }) => nameOf(kind, hash)))
  const has = (kind: string, text: string) =>
    found.size > 0 && found.has(nameOf(kind, hashOf(text)))
  const hasDomain = (domain: string) => domainsAbove(domain).some((each) => has('domain', each))
  return {
    hasDomain,
    hasAddress: (address: string) => has('address', address) || hasDomain(domainOfAddress(address)),
    hasKey: (key: string) => has('contact', key),
  }
}

const nameOf = (kind: string, hash: Buffer) => `${kind} ${hash.toString('base64')}`

const hashOf = (text: string): Buffer => sha256(text)
