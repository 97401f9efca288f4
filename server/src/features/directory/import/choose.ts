import type { Context } from '../../../kernel/context.ts'
import { OptOuts } from '../optouts.ts'
import type { Batch } from './batch.ts'
import type { Company } from './companies.ts'
import * as queries from './queries.ts'

export interface Chosen {
  /** Where they are in the batch, in the order of their keys. */
  contacts: number[]
  /** By their places in the batch. */
  companies: (Company | undefined)[]
  /** Rows of the others. */
  optedOut: number[]
}

/** Everybody in a batch but those who asked to be removed, by themselves or with their domain. */
export async function choose(tx: Context, batch: Batch): Promise<Chosen> {
  const all = batch.contacts()
  const { companies } = batch
  if (!(await queries.existsOptOut(tx.db))) return { contacts: all, companies, optedOut: [] }
  const addressOf = (at: number) => {
    const key = batch.key(at)
    return key.startsWith('e:') ? key.slice(2) : undefined
  }
  const optOuts = await OptOuts.read(
    tx.db,
    all.flatMap((at) => addressOf(at) ?? []),
    companies.flatMap(({ record }) => record.domain ?? []),
  )
  const staying = companies.map((company) => {
    const { domain } = company.record
    return domain !== null && optOuts.hasDomain(domain) ? undefined : company
  })
  const isWanted = (at: number) => {
    const address = addressOf(at)
    if (address !== undefined && optOuts.hasAddress(address)) return false
    return batch.employer(at) === -1 || staying[batch.employer(at)] !== undefined
  }
  const contacts = all.filter(isWanted)
  const wanted = new Set(contacts)
  const optedOut = all.filter((at) => !wanted.has(at)).map(batch.rowNumber)
  return { contacts, companies: staying, optedOut }
}
