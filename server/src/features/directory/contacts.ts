import type { Db } from '../../kernel/db/db.ts'
import * as queries from './queries.ts'
import { has, Matches } from './term-index/index.ts'
import { termsOf } from './terms/index.ts'

/**
 * Addresses in the directory at a domain, and whose they are: what the pattern of its addresses is
 * learned from.
 */
export async function listKnownAddresses(
  db: Db,
  domain: string,
  most: number,
): Promise<queries.KnownAddress[]> {
  const terms = [...termsOf.domain(domain), ...termsOf.address(`someone@${domain}`)]
  const matches = await Matches.open(db, { any: terms.map(has) })
  const known: queries.KnownAddress[] = []
  let bound: number | undefined
  while (known.length < most) {
    const numbers = await matches.numbersBelow(bound, batchSize)
    if (numbers.length === 0) break
    known.push(...(await queries.findAddresses(db, numbers, domain)))
    bound = numbers.at(-1)
  }
  return known.slice(0, most)
}

/** Some of those at the company have no address, or one elsewhere. */
const batchSize = 200
