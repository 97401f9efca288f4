import type { Db } from '../../../kernel/db/db.ts'
import type { Session } from '../../../kernel/db/session.ts'
import { copyBlock, markStale } from '../term-index/index.ts'
import { blockSize, buildPages } from '../terms/index.ts'
import { companyTerms } from './company-terms.ts'
import type { StoredCompany } from './named-companies.ts'
import type { ReadBatch } from './read-batch.ts'

export interface AddedContacts {
  contacts: Uint32Array
  start: number
  /** By their places in the batch. */
  employers: (StoredCompany | undefined)[]
}

/**
 * Indexes new contacts that were given the numbers from `start` on: a block of their own at once
 * from the rows at hand. Of a block that others are in it is noted that it has to be indexed again.
 */
export async function indexBatch(
  db: Db,
  copyFrom: Session['copyFrom'],
  batch: ReadBatch,
  { contacts, start, employers }: AddedContacts,
): Promise<void> {
  if (start % blockSize !== 0 || contacts.length > blockSize) {
    return markStale(db, blocksOf(start, contacts.length))
  }
  const pages = buildPages({
    places: contacts.map((_, place) => place),
    at: contacts,
    own: batch.terms,
    group: Int32Array.from(contacts, batch.employer),
    shared: companyTerms(batch, employers),
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
