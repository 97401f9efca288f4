import type { Context } from '../../kernel/context.ts'
import { sha256 } from '../../kernel/crypto.ts'
import type { Db } from '../../kernel/db/db.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { parseEmail } from '../../kernel/email.ts'
import { invalidField } from '../../kernel/errors.ts'
import { domainOf, domainsAbove } from './domain.ts'
import * as queries from './queries.ts'
import { markChanged, rebuildStaleBlocks } from './term-index/index.ts'

/**
 * Those of the addresses, folded, whose owner asked to be removed: by the address, or with everybody
 * of its domain or of one above it.
 */
export async function findOptedOut(db: Db, addresses: string[]): Promise<Set<string>> {
  if (addresses.length === 0) return new Set()
  const optouts = await OptOuts.read(db, addresses)
  return new Set(addresses.filter((address) => optouts.hasAddress(address)))
}

/** Whether the contact of this id was removed because somebody asked for it. */
export const isRemovedContact = async (ctx: Context, id: string): Promise<boolean> =>
  (await queries.findOptOuts(ctx.db, ['contact'], [hashOf(id)])).length > 0

export interface OptedOut {
  kind: 'address' | 'domain'
  contacts_removed: number
}

/**
 * From now on nobody with this address, or of this domain and those below it, is found, revealed or
 * imported again. What the directory has of them is deleted; what is kept tells nothing but that.
 */
export async function optOut(ctx: Context, addressOrDomain: string): Promise<OptedOut> {
  const kind = addressOrDomain.includes('@') ? 'address' : 'domain'
  const value = kind === 'address' ? parseEmail(addressOrDomain)?.folded : domainOf(addressOrDomain)
  if (value === undefined) {
    throw invalidField('/', 'It must be an e-mail address, or a domain such as example.com.')
  }
  const removed = await transaction(ctx, async (tx) => {
    await queries.insertOptOuts(tx.db, kind, [hashOf(value)], tx.now())
    const contacts = await (kind === 'address'
      ? queries.deleteByAddress(tx.db, value)
      : queries.deleteByDomain(tx.db, value))
    if (kind === 'domain') await queries.deleteCompaniesByDomain(tx.db, value)
    await queries.insertOptOuts(
      tx.db,
      'contact',
      contacts.map(({ id }) => hashOf(id)),
      tx.now(),
    )
    await markChanged(
      tx.db,
      contacts.map(({ number }) => number),
    )
    return contacts
  })
  await rebuildStaleBlocks(ctx)
  return { kind, contacts_removed: removed.length }
}

/** What of the opt-outs concerns some addresses. */
export class OptOuts {
  readonly #hashes: Set<string>

  private constructor(rows: queries.OptOut[]) {
    this.#hashes = new Set(rows.map(({ kind, hash }) => keyOf(kind, hash)))
  }

  /** @param atDomains domains that are asked about by themselves */
  static async read(db: Db, addresses: string[], atDomains: string[] = []): Promise<OptOuts> {
    const domains = new Set([...addresses.map(domainIn), ...atDomains].flatMap(domainsAbove))
    const kinds = [...addresses.map(() => 'address'), ...[...domains].map(() => 'domain')]
    const hashes = [...addresses, ...domains].map(hashOf)
    return new OptOuts(await queries.findOptOuts(db, kinds, hashes))
  }

  hasAddress(address: string): boolean {
    return this.#hashes.has(keyOf('address', hashOf(address))) || this.hasDomain(domainIn(address))
  }

  hasDomain(domain: string): boolean {
    return domainsAbove(domain).some((each) => this.#hashes.has(keyOf('domain', hashOf(each))))
  }
}

const keyOf = (kind: string, hash: Buffer) => `${kind} ${hash.toString('base64')}`

const hashOf = (text: string): Buffer => sha256(text)

const domainIn = (address: string) => address.slice(address.lastIndexOf('@') + 1)
