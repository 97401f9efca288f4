import { sql } from 'kysely'
import type { Db } from '../../../kernel/db/db.ts'
import { prepared } from '../../../kernel/db/prepared.ts'
import { blockSize, type CompanyTexts, type ContactTexts, type IndexPage } from '../terms/index.ts'

export interface Block {
  block: number
  contacts: number
  /** Of its pages. */
  version: number
}

/** Newest contacts first. */
export const listBlocks = (db: Db) =>
  db
    .selectFrom('directory_blocks')
    .select(['block', 'contacts', 'version'])
    .orderBy('block', 'desc')
    .execute()

export interface FoundPage {
  /** For which of the ranges, counted from 0. */
  asked: number
  page: Buffer
}

/**
 * The pages that can hold a term of a range, each range in a block of its own: from the page that its
 * first would be in.
 */
export const findPages = prepared<[Buffer[], Buffer[], number[]], FoundPage>(
  'find_directory_pages',
  `select (r.ordinal - 1)::integer as asked, p.page
   from unnest($1::bytea[], $2::bytea[], $3::integer[])
     with ordinality as r (first, last, block, ordinal)
   cross join lateral (
     select page
     from directory_pages
     where block = r.block and first_term <= r.last and first_term >= coalesce((
       select first_term
       from directory_pages
       where block = r.block and first_term <= r.first
       order by first_term desc
       limit 1), '')
     offset 0 -- or a plan for many ranges joins all pages with all ranges
   ) p`,
)

export interface AddedContacts {
  block: number
  contacts: number
}

/** Of their contacts so many were added, and their pages no longer say what their contacts are. */
export async function markStale(db: Db, blocks: AddedContacts[]): Promise<void> {
  if (blocks.length === 0) return
  const ordered = blocks.toSorted((a, b) => a.block - b.block)
  await sql`
    insert into directory_blocks (block, contacts, stale)
    select block, added, true
    from unnest(
      ${ordered.map(({ block }) => block)}::integer[],
      ${ordered.map(({ contacts }) => contacts)}::integer[]
    ) as changed (block, added)
    on conflict (block) do update
    set contacts = directory_blocks.contacts + excluded.contacts, stale = true`.execute(db)
}

export async function countStaleBlocks(db: Db): Promise<number> {
  const { rows } = await sql<{ stale: number }>`
    select count(*)::int as stale from directory_blocks where stale`.execute(db)
  return rows[0]?.stale ?? 0
}

/** A stale block, locked until the transaction ends: who changes its contacts marks it again. */
export const lockStaleBlock = (db: Db) =>
  db
    .selectFrom('directory_blocks')
    .select('block')
    .where('stale', '=', true)
    .orderBy('block')
    .limit(1)
    .forUpdate()
    .executeTakeFirst()

export interface IndexedContact extends ContactTexts {
  number: number
  company_id: string | null
}

export interface IndexedCompany extends CompanyTexts {
  id: string
}

/** In the order of their numbers. */
export const listIndexedContacts = (db: Db, block: number): Promise<IndexedContact[]> =>
  db
    .selectFrom('directory_contacts')
    .select(['number', 'company_id', 'first_name', 'last_name', 'title', 'seniority'])
    .select(['department', 'city', 'country', 'email', 'has_email'])
    .where('number', '>=', block * blockSize)
    .where('number', '<', (block + 1) * blockSize)
    .orderBy('number')
    .execute()

export const listIndexedCompanies = (db: Db, block: number): Promise<IndexedCompany[]> =>
  db
    .selectFrom('directory_companies')
    .select(['id', 'name', 'domain', 'industry', 'employee_count', 'technologies'])
    .where('id', 'in', (query) =>
      query
        .selectFrom('directory_contacts')
        .select('company_id')
        .where('number', '>=', block * blockSize)
        .where('number', '<', (block + 1) * blockSize)
        .$castTo<{ company_id: string }>(),
    )
    .execute()

export const deletePages = (db: Db, block: number) =>
  db.deleteFrom('directory_pages').where('block', '=', block).execute()

export const insertPages = async (db: Db, block: number, pages: IndexPage[]) => {
  await sql`
    insert into directory_pages (block, first_term, page)
    select ${block}::integer, first_term, page
    from unnest(
      ${pages.map(({ firstTerm }) => firstTerm)}::bytea[],
      ${pages.map(({ page }) => page)}::bytea[]
    ) as made (first_term, page)`.execute(db)
}

export const copyPages = 'copy directory_pages (block, first_term, page) from stdin (format binary)'

/** Its pages say what its contacts are. */
export const upsertBlock = (db: Db, block: number, contacts: number) =>
  db
    .insertInto('directory_blocks')
    .values({ block, contacts, stale: false })
    .onConflict((conflict) =>
      conflict.column('block').doUpdateSet((row) => ({
        contacts,
        stale: false,
        version: row('directory_blocks.version', '+', 1),
      })),
    )
    .execute()

/** Words that are there already stay. In one order, so that two who insert never wait in a circle. */
export const insertWords = async (db: Db, words: string[]) => {
  await sql`
    insert into directory_words (word)
    select word from unnest(${words}::text[]) as w (word)
    order by word collate "C"
    on conflict do nothing`.execute(db)
}
