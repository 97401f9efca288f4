import type { AnyContext } from '../../../kernel/context.ts'
import { addressIn, domainIn, nameKey, profileKeys } from '../identity.ts'
import { readOptOuts } from '../opted-out.ts'
import { hasOptOuts } from '../optout-queries.ts'
import type { Batch, BatchContact } from './batch.ts'

type Allowed = Pick<Batch, 'contacts' | 'companies'> & {
  /** Rows of the people who are left out. */
  optedOut: number[]
}

/** All of a batch but those who asked to be removed, by themselves or with their domain. */
export async function excludeOptedOut(tx: AnyContext, batch: Batch): Promise<Allowed> {
  const { contacts, companies } = batch
  if (!(await hasOptOuts(tx.db))) return { contacts, companies, optedOut: [] }
  const people = [...contacts].map(([key, contact]) => ({ key, contact, ...namesOf(key, contact) }))
  const optOuts = await readOptOuts(tx.db, {
    addresses: people.flatMap(({ address }) => address ?? []),
    domains: [...companies.keys()].flatMap((key) => domainIn(key) ?? []),
    keys: people.flatMap(({ keys }) => keys),
  })
  const isCompanyWanted = (key: string) => {
    const domain = domainIn(key)
    return domain === undefined || !optOuts.hasDomain(domain)
  }
  const isWanted = ({ address, keys, contact: { company } }: (typeof people)[number]) =>
    !(address !== undefined && optOuts.hasAddress(address)) &&
    !keys.some(optOuts.hasKey) &&
    (company === undefined || isCompanyWanted(company))
  const staying = people.filter(isWanted)
  const left = people.filter((person) => !isWanted(person)).flatMap(({ contact }) => contact.rows)
  const alone = batch.companyRows.filter(({ key }) => !isCompanyWanted(key)).map(({ row }) => row)
  return {
    contacts: new Map(staying.map(({ key, contact }) => [key, contact])),
    companies: new Map([...companies].filter(([key]) => isCompanyWanted(key))),
    optedOut: [...left, ...alone],
  }
}

/** What they could have been removed by. Of those with an address others may have the name. */
function namesOf(key: string, { record, company, wrongAddress }: BatchContact) {
  const { first_name, last_name, linkedin_url } = record
  const address = addressIn(key)
  const keys = linkedin_url === null ? [] : profileKeys(linkedin_url)
  const name = address === undefined ? nameKey(first_name, last_name, company) : undefined
  if (name !== undefined) keys.push(name)
  return { address: address ?? wrongAddress, keys }
}
