import type { Context } from '../../../kernel/context.ts'
import { CopyChunks } from '../../../kernel/db/copy-buffer.ts'
import type { Db } from '../../../kernel/db/db.ts'
import type { Session } from '../../../kernel/db/session.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { BlockBuilder } from './block-builder.ts'
import { type Condition, has } from './condition.ts'
import { Matches } from './matches.ts'
import { blockSize, type IndexPage } from './page.ts'
import * as queries from './queries.ts'
import { TermLists } from './term-lists.ts'
import { type CompanyTexts, termsOf } from './terms.ts'

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
  const builder = new BlockBuilder()
  const ofCompany = new Map(
    companies.map((company) => [
      company.id,
      { terms: builder.companyTerms(company), domain: company.domain },
    ]),
  )
  const terms = new TermLists()
  for (const contact of contacts) {
    const company = contact.company_id ? ofCompany.get(contact.company_id) : undefined
    terms.push(builder.contactTerms(contact, company?.domain))
    terms.push(company?.terms ?? [])
    terms.end()
  }
  const pages = builder.build({
    places: contacts.map(({ number }) => number % blockSize),
    at: contacts.map((_, at) => at),
    own: terms,
    group: contacts.map(() => -1),
    shared: terms,
  })
  await queries.deletePages(db, block)
  const kept = Array.from(pages, (each) => ({ ...each, page: Buffer.from(each.page) }))
  await queries.insertPages(db, block, kept)
  await queries.insertWords(db, builder.words())
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
