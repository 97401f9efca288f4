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
  const { builder, terms } = batch
  const ofCompanies = employers.map((company) => {
    return company ? builder.companyTerms(company.record) : []
  })
  const pages = builder.build((visit) => {
    for (let place = 0; place < contacts.length; place++) {
      const at = contacts[place] as number
      visit(place, terms.numbers, terms.startOf(at), terms.endOf(at))
      const others = ofCompanies[batch.employer(at)]
      if (others) visit(place, others, 0, others.length)
    }
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
