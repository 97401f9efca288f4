import type { AnyDb } from '../../kernel/db/db.ts'
import { quoted } from '../../kernel/db/tsvector.ts'
import * as queries from './queries.ts'
import { termsOf } from './terms.ts'

/**
 * Addresses in the directory at a domain, and whose they are: what the pattern of its addresses is
 * learned from.
 */
export async function listKnownAddresses(
  db: AnyDb,
  domain: string,
  most: number,
): Promise<queries.KnownAddress[]> {
  const terms = [...termsOf.domain(domain), ...termsOf.address(`someone@${domain}`)]
  return await queries.findAddresses(db, terms.map(quoted).join(' | '), domain, most)
}
