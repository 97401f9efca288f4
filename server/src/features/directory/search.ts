import type { RawBuilder } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { type Page, type PageRequest, toPage } from '../../kernel/http/page.ts'
import { conditionOf } from './filters.ts'
import * as queries from './queries.ts'
import type { DirectoryFilters } from './schema.ts'
import { anyone, contactsIn, listBlocks, Matches } from './term-index/index.ts'

export interface FoundContacts extends Page<queries.FoundContact> {
  total: number
  total_is_estimate: boolean
}

/**
 * Contacts that meet all filters, newest first (descending id). No address is read.
 *
 * @param without a query of ids of contacts to be left out, in its only column
 */
export async function searchDirectory(
  db: Db,
  filters: DirectoryFilters,
  page: PageRequest,
  without?: RawBuilder<unknown>,
): Promise<FoundContacts> {
  const condition = await conditionOf(db, filters)
  if (!condition && !without) {
    const rows = await queries.listContacts(db, page)
    return { ...toPage(rows, page.limit), ...judge(contactsIn(await listBlocks(db))) }
  }
  const left = without ? await queries.findNumbers(db, without) : []
  const matches = await Matches.open(db, condition ?? anyone, left)
  const total = await matches.count(exactMax)
  const rows = await findRows(db, matches, page)
  return { ...toPage(rows, page.limit), ...judge(total) }
}

/** Above this a total is allowed to be an estimate (contract §8). */
const exactMax = 10_000

const judge = (total: number) => ({ total, total_is_estimate: total > exactMax })

/** One more than the page holds, where there is one. */
async function findRows(db: Db, matches: Matches, page: PageRequest) {
  const wanted = page.limit + 1
  const rows: queries.FoundContact[] = []
  let bound = page.startingAfter ? await queries.findBound(db, page.startingAfter) : undefined
  while (rows.length < wanted) {
    const numbers = await matches.numbersBelow(bound, wanted - rows.length)
    if (numbers.length === 0) break
    // Fewer come back when contacts were removed since their block was indexed.
    rows.push(...(await queries.findByNumbers(db, numbers)))
    bound = numbers.at(-1)
  }
  return rows
}
