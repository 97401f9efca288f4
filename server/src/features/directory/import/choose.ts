import type { Context } from '../../../kernel/context.ts'
import { addressIn, domainIn, profileKey } from '../identity.ts'
import { OptOuts } from '../optouts.ts'
import { keyOf, type NamedCompany } from './named-companies.ts'
import * as queries from './queries.ts'
import type { ReadBatch } from './read-batch.ts'

export interface Chosen {
  /** Where they are in the batch, in the order given. */
  contacts: Uint32Array
  /** By their places in the batch. */
  companies: (NamedCompany | undefined)[]
  /** Rows of the others. */
  optedOut: number[]
}

/** All contacts of a batch but those who asked to be removed, by themselves or with their domain. */
export async function choose(tx: Context, batch: ReadBatch): Promise<Chosen> {
  const { contacts: all, companies } = batch
  if (!(await queries.existsOptOut(tx.db))) return { contacts: all, companies, optedOut: [] }
  const people = Array.from(all, (at) => personAt(batch, at))
  const optOuts = await OptOuts.read(tx.db, {
    addresses: people.flatMap(({ address }) => address ?? []),
    domains: companies.flatMap((company) => domainIn(keyOf(company)) ?? []),
    keys: people.flatMap(({ keys }) => keys),
  })
  const staying = companies.map((company) => {
    const domain = domainIn(keyOf(company))
    return domain !== undefined && optOuts.hasDomain(domain) ? undefined : company
  })
  const isWanted = ({ address, keys, employer }: Person) =>
    !(address !== undefined && optOuts.hasAddress(address)) &&
    !keys.some(optOuts.hasKey) &&
    (employer === -1 || staying[employer] !== undefined)
  const [contacts, optedOut] = [[] as number[], [] as number[]]
  for (const person of people) {
    if (isWanted(person)) contacts.push(person.at)
    else optedOut.push(batch.rowNumber(person.at))
  }
  for (const { row, place } of batch.companyRows) if (!staying[place]) optedOut.push(row)
  return { contacts: Uint32Array.from(contacts), companies: staying, optedOut }
}

interface Person {
  at: number
  address: string | undefined
  /** What else they could have been removed by. */
  keys: string[]
  employer: number
}

function personAt(batch: ReadBatch, at: number): Person {
  const key = batch.key(at)
  const address = addressIn(key)
  const linkedin = batch.linkedin(at)
  const keys = linkedin === null ? [] : [profileKey(linkedin)]
  if (address === undefined && !keys.includes(key)) keys.push(key)
  return { at, address, keys, employer: batch.employer(at) }
}
