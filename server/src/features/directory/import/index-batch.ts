import type { Db } from '../../../kernel/db/db.ts'
import type { Session } from '../../../kernel/db/session.ts'
import { blockSize, copyBlock, markStale } from '../term-index/index.ts'
import type { Batch } from './batch.ts'
import type { StoredCompany } from './companies.ts'

/**
 * Indexes new contacts that were given the numbers from `start` on: a block of their own at once
 * from the rows at hand. Of a block that others are in it is noted that it has to be indexed again.
 */
export async function indexBatch(
  db: Db,
  copyFrom: Session['copyFrom'],
  batch: Batch,
  contacts: number[],
  start: number,
  employers: (StoredCompany | undefined)[],
): Promise<void> {
  if (start % blockSize !== 0 || contacts.length > blockSize) {
    return markStale(db, blocksOf(start, contacts.length))
  }
  const { builder, terms, companyTerms } = batch
  companyTerms.clear()
  for (const company of employers) {
    if (company) companyTerms.push(builder.companyTerms(company.record))
    companyTerms.end()
  }
  const pages = builder.build({
    places: contacts.map((_, place) => place),
    at: contacts,
    own: terms,
    group: contacts.map(batch.employer),
    shared: companyTerms,
  })
  await copyBlock(db, copyFrom, { block: start / blockSize, contacts: contacts.length }, pages)
}

/** How many of the numbers from `start` on are in each block. */
function blocksOf(start: number, count: number) {
  const blocks = []
  for (let number = start; number < start + count; ) {
    const block = Math.floor(number / blockSize)
    const contacts = Math.min((block + 1) * blockSize, start + count) - number
    blocks.push({ block, contacts })
    number += contacts
  }
  return blocks
}
