import type { AnyContext } from '../../kernel/context.ts'
import { sha256 } from '../../kernel/crypto.ts'
import type { AnyDb } from '../../kernel/db/db.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { domainOfAddress, parseEmail } from '../../kernel/email.ts'
import { invalidField } from '../../kernel/errors.ts'
import { domainOf, domainsAbove } from './domain.ts'
import { addressIn, addressKey, companyKey } from './identity.ts'
import * as optouts from './optout-queries.ts'
import { findByDomain, findByKeys, lockDirectory, type RemovedContact } from './queries.ts'
import { findPerson, keysOf, removeDomain, removePerson } from './remove.ts'
import type { ShownContact } from './schema.ts'

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

/** Who is meant by a request. */
interface Meant {
  /** What they are known by, which is the same in every database. */
  keys: string[]
  /** The contacts of this database. */
  contactIds: string[]
}

/**
 * All that the person with an address is known by; of a domain, the addresses that its people have. Nothing
 * is changed.
 *
 * @param contactIds others who are known to be meant
 * @param shown what is known of them beside the directory
 */
export async function findMeant(
  db: AnyDb,
  { kind, value }: OptOutRequest,
  contactIds: string[],
  shown: ShownPerson[],
): Promise<Meant> {
  if (kind === 'domain') {
    const found = [...(await findByDomain(db, value)), ...(await findByKeys(db, [], contactIds))]
    const keys = found.map(({ key }) => key).filter((key) => addressIn(key) !== undefined)
    return meant(keys, [...contactIds, ...found.map(({ id }) => id)])
  }
  const keys = shown.flatMap(({ company, ...person }) =>
    keysOf({ ...person, company_key: company && companyKey(company.domain, company.name) }),
  )
  const found = await findPerson(db, [addressKey(value), ...keys], contactIds)
  return meant(
    [...keys, ...found.flatMap((each) => [each.key, ...keysOf(each)])],
    [...contactIds, ...found.map(({ id }) => id)],
  )
}

const meant = (keys: string[], contactIds: string[]): Meant => ({
  keys: [...new Set(keys)],
  contactIds: [...new Set(contactIds)],
})

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
 * @param keys that they are known by
 */
export async function optOut(
  ctx: AnyContext,
  addressOrDomain: string,
  contactIds: string[] = [],
  keys: string[] = [],
): Promise<OptedOut> {
  const { kind, value } = readOptOut(addressOrDomain)
  const removed = await transaction(ctx, async (tx) => {
    await lockDirectory(tx.db)
    const contacts =
      kind === 'address'
        ? await removePerson(tx.db, [addressKey(value), ...keys], contactIds)
        : await removeDomain(tx.db, value, keys, contactIds)
    await remember(tx, { kind, value }, contacts, keys)
    return contacts
  })
  return { kind, contacts_removed: removed.length, contact_ids: removed.map(({ id }) => id) }
}

/** What is known of them before any database forgets it: whoever repeats a request need not find it again. */
export const noteOptOut = (ctx: AnyContext, request: OptOutRequest, keys: string[]) =>
  transaction(ctx, async (tx) => {
    await lockDirectory(tx.db)
    await remember(tx, request, [], keys)
  })

/** Whoever was removed is refused by all that they could come again by. */
async function remember(
  { db, now }: AnyContext,
  { kind, value }: OptOutRequest,
  removed: RemovedContact[],
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
    texts.map((text) => ({ kind: as, hash: sha256(text), timestamp_created }))
  await optouts.insertOptOuts(db, [
    ...rowsOf(kind, [value]),
    ...rowsOf('contact', contacts),
    ...rowsOf('address', addresses),
  ])
}

const copiedAtOnce = 5000

/** Whoever is refused by one database is refused by the other one, too. It may be broken off and begun anew. */
export async function copyOptOuts(from: AnyDb, to: AnyDb): Promise<void> {
  let place: optouts.OptOut | undefined = { kind: '', hash: Buffer.alloc(0) }
  while (place) {
    const page: optouts.StoredOptOut[] = await optouts.listOptOuts(from, place, copiedAtOnce)
    if (page.length > 0) await insertCopied(to, page)
    place = page.length < copiedAtOnce ? undefined : page.at(-1)
  }
}

const insertCopied = (to: AnyDb, page: optouts.StoredOptOut[]) =>
  to.transaction().execute(async (tx) => {
    // An import that has asked already whom it must not add comes to its end before.
    await lockDirectory(tx)
    await optouts.insertOptOuts(tx, page)
  })
