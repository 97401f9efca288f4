import type { Context } from '../../../kernel/context.ts'
import { CopyChunks } from '../../../kernel/db/copy-buffer.ts'
import type { Db } from '../../../kernel/db/db.ts'
import type { Session } from '../../../kernel/db/session.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import {
  blockSize,
  buildPages,
  type CompanyTexts,
  type IndexPage,
  TermLists,
  TermNumbers,
  termsOf,
} from '../terms/index.ts'
import { type Condition, has } from './condition.ts'
import { Matches } from './matches.ts'
import * as queries from './queries.ts'

/**
 * Indexes again the blocks whose contacts have changed, one transaction for each. Until then a
 * search finds these contacts by what they were, and those that are gone not at all.
 *
 * @param onRebuilt told after each block how many it were so far, and how many there are to do
 */
export async function rebuildStaleBlocks(
  ctx: Context,
  onRebuilt: (rebuilt: number, all: number) => void = () => undefined,
): Promise<void> {
  const all = await queries.countStaleBlocks(ctx.db)
  for (let rebuilt = 1; ; rebuilt++) {
    const isDone = await transaction(ctx, async ({ db }) => {
      const stale = await queries.lockStaleBlock(db)
      if (stale) await rebuild(db, stale.block)
      return !stale
    })
    if (isDone) return
    onRebuilt(rebuilt, Math.max(rebuilt, all))
  }
}

/** What the people of these companies are found by was changed. */
export async function markEmployees(db: Db, companies: Pick<CompanyTexts, 'name' | 'domain'>[]) {
  if (companies.length === 0) return
  const isMany = companies.length > companiesMax
  const blocks = isMany
    ? (await queries.listBlocks(db)).map(({ block }) => block)
    : await (await Matches.open(db, { any: companies.map(employeesOf) })).blocks()
  await queries.markStale(
    db,
    blocks.map((block) => ({ block, contacts: 0 })),
  )
}

/** So many have people everywhere. */
const companiesMax = 500

const employeesOf = ({ name, domain }: Pick<CompanyTexts, 'name' | 'domain'>): Condition =>
  domain !== null
    ? { any: termsOf.domain(domain).map(has) }
    : { all: termsOf.company(name ?? '').map(has) }

/** Contacts of these numbers were changed or deleted: their blocks have to be indexed again. */
export async function markChanged(db: Db, numbers: number[]) {
  const blocks = new Set(numbers.map((number) => Math.floor(number / blockSize)))
  await queries.markStale(
    db,
    [...blocks].map((block) => ({ block, contacts: 0 })),
  )
}

async function rebuild(db: Db, block: number) {
  const companies = await queries.listIndexedCompanies(db, block)
  const contacts = await queries.listIndexedContacts(db, block)
  const [ofContacts, ofCompanies] = [new TermNumbers(), new TermNumbers()]
  const [own, shared] = [new TermLists(), new TermLists()]
  const places = new Map<string | null, number>()
  for (const [place, company] of companies.entries()) {
    places.set(company.id, place)
    shared.push(ofCompanies.companyTerms(company))
    shared.end()
  }
  const employer = (contact: queries.IndexedContact) => places.get(contact.company_id) ?? -1
  for (const contact of contacts) {
    own.push(ofContacts.contactTerms(contact, companies[employer(contact)]?.domain))
    own.end()
  }
  const pages = buildPages({
    places: contacts.map(({ number }) => number % blockSize),
    at: contacts.map((_, at) => at),
    own: { terms: ofContacts.terms, lists: own },
    group: contacts.map(employer),
    shared: { terms: ofCompanies.terms, lists: shared },
  })
  await queries.deletePages(db, block)
  const kept = Array.from(pages, (each) => ({ ...each, page: Buffer.from(each.page) }))
  await queries.insertPages(db, block, kept)
  await queries.insertWords(db, [...new Set([...ofContacts.words(), ...ofCompanies.words()])])
  await queries.upsertBlock(db, block, contacts.length)
}

/** Replaces the pages of a block that is written by an import, which knows the words already. */
export async function copyBlock(
  db: Db,
  copyFrom: Session['copyFrom'],
  { block, contacts }: queries.AddedContacts,
  pages: Iterable<IndexPage>,
) {
  await queries.deletePages(db, block)
  await copyFrom(queries.copyPages, pageRows(block, pages))
  await queries.upsertBlock(db, block, contacts)
}

function* pageRows(block: number, pages: Iterable<IndexPage>): Generator<Buffer> {
  const chunks = new CopyChunks()
  for (const { firstTerm, page } of pages) {
    if (!chunks.takes(page.length + firstTerm.length + 20)) yield chunks.end()
    const { rows } = chunks
    rows.startRow(3)
    rows.integer(block)
    rows.bytea(firstTerm)
    rows.bytea(page)
  }
  yield chunks.end()
}
