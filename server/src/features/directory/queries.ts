import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { prepared } from '../../kernel/db/prepared.ts'
import type { PageRequest } from '../../kernel/http/page.ts'

interface ContactCompany {
  company_id: string
  name: string
  domain: string | null
  industry: string | null
  employee_count: number | null
}

/** What a search shows: everything but the address. */
export interface FoundContact {
  id: string
  first_name: string | null
  last_name: string | null
  title: string | null
  seniority: string | null
  department: string | null
  company: ContactCompany | null
  city: string | null
  country: string | null
  has_email: boolean
}

const companyColumn = `
  case when k.id is not null then jsonb_build_object('company_id', k.id, 'name', k.name,
    'domain', k.domain, 'industry', k.industry, 'employee_count', k.employee_count) end as company`

const foundColumns = `c.id, c.first_name, c.last_name, c.title, c.seniority, c.department,
  c.city, c.country, c.has_email, ${companyColumn}`

export const findByNumbers = prepared<[number[]], FoundContact>(
  'find_contacts_by_number',
  `select ${foundColumns}
   from directory_contacts c
   left join directory_companies k on k.id = c.company_id
   where c.number = any($1::integer[])
   order by c.number desc`,
)

/** Everybody, newest first, and one more than the page holds. */
export async function listContacts(db: Db, page: PageRequest): Promise<FoundContact[]> {
  const after = page.startingAfter
  const { rows } = await sql<FoundContact>`
    select ${sql.raw(foundColumns)}
    from directory_contacts c
    left join directory_companies k on k.id = c.company_id
    ${after === undefined ? sql`` : sql`where c.id < ${after}::uuid`}
    order by c.id desc
    limit ${page.limit + 1}::integer`.execute(db)
  return rows
}

/** Contacts with an id below `id` have a number below this; undefined: all have. */
export async function findBound(db: Db, id: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('directory_contacts')
    .select('number')
    .where('id', '>=', id)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row?.number
}

/** @param ids a query with one column */
export async function findNumbers(db: Db, ids: RawBuilder<unknown>): Promise<number[]> {
  const { rows } = await sql<{ number: number }>`
    select number from directory_contacts where id in (${ids})`.execute(db)
  return rows.map((row) => row.number)
}

const selectKnown = prepared<[string[]], { word: string }>(
  'find_known_words',
  `select w.word
   from unnest($1::text[]) with ordinality as w (word, ordinal)
   where exists (
     select 1
     from directory_words d
     where d.word >= w.word collate "C" and d.word < (w.word || chr(1114111)) collate "C")
   order by w.ordinal`,
)

/** Those that a word in the directory begins with, in the order given. */
export const findKnownWords = async (db: Db, words: string[]): Promise<string[]> =>
  words.length === 0 ? [] : (await selectKnown(db, words)).map((row) => row.word)

/** Whether words can be compared by their trigrams. */
export async function hasTrigrams(db: Db): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass('directory_words_trigrams') is not null as there`.execute(db)
  return rows[0]?.there ?? false
}

/** The most similar first. */
export async function findSimilarWords(db: Db, word: string, most: number): Promise<string[]> {
  const { rows } = await sql<{ word: string }>`
    select word
    from directory_words
    where word % ${word}
    order by similarity(word, ${word}) desc, word
    limit ${most}::integer`.execute(db)
  return rows.map((row) => row.word)
}

/** Everything about a contact that is not the workspaces'. */
export interface DirectoryContact extends Omit<FoundContact, 'company'> {
  company: ContactCompany | null
  linkedin_url: string | null
  email: string | null
  email_folded: string | null
  email_status: string | null
}

export const findContacts = prepared<[string[]], DirectoryContact>(
  'find_directory_contacts',
  `select ${foundColumns}, c.linkedin_url, c.email, c.email_status,
     case when starts_with(c.key, 'e:') then substr(c.key, 3) end as email_folded
   from directory_contacts c
   left join directory_companies k on k.id = c.company_id
   where c.id = any($1::uuid[])`,
)

export interface KnownAddress {
  first_name: string | null
  last_name: string | null
  email_folded: string
}

/** Those of the contacts that have an address at the domain. */
export const findAddresses = prepared<[number[], string], KnownAddress>(
  'find_known_addresses',
  `select first_name, last_name, substr(key, 3) as email_folded
   from directory_contacts
   where number = any($1::integer[]) and key like 'e:%' and split_part(key, '@', -1) = $2
   order by number desc`,
)

export const findCompany = (db: Db, id: string) =>
  db
    .selectFrom('directory_companies')
    .select([
      'id',
      'name',
      'domain',
      'website',
      'industry',
      'employee_count',
      'revenue_range',
      'founded_year',
      'description',
      'technologies',
      'city',
      'country',
      'linkedin_url',
    ])
    .where('id', '=', id)
    .executeTakeFirst()

export interface OptOut {
  kind: string
  hash: Buffer
}

export async function hasOptOuts(db: Db): Promise<boolean> {
  const { rows } = await sql`select from directory_optouts limit 1`.execute(db)
  return rows.length > 0
}

/** Those that are there, of pairs of kind and hash. */
export const findOptOuts = prepared<[string[], Buffer[]], OptOut>(
  'find_directory_optouts',
  `select o.kind, o.hash
   from unnest($1::text[], $2::bytea[]) as asked (kind, hash)
   join directory_optouts o on o.kind = asked.kind and o.hash = asked.hash`,
)

export const insertOptOuts = async (db: Db, kind: string, hashes: Buffer[], at: Date) => {
  await sql`
    insert into directory_optouts (kind, hash, timestamp_created)
    select ${kind}, hash, ${at}::timestamptz
    from unnest(${hashes}::bytea[]) as asked (hash)
    on conflict do nothing`.execute(db)
}

/** Until the transaction ends nobody else adds contacts or opts out. */
export async function lockDirectory(tx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('outrider directory'))`.execute(tx)
}

export interface RemovedContact {
  id: string
  number: number
  key: string
  first_name: string | null
  last_name: string | null
  linkedin_url: string | null
  company_key: string | null
}

const removedColumns = `id, number, key, first_name, last_name, linkedin_url,
  (select k.key from directory_companies k where k.id = company_id) as company_key`

export async function deleteContacts(
  db: Db,
  keys: string[],
  ids: string[],
): Promise<RemovedContact[]> {
  const { rows } = await sql<RemovedContact>`
    delete from directory_contacts
    where key = any(${keys}::text[]) or id = any(${ids}::uuid[])
    returning ${sql.raw(removedColumns)}`.execute(db)
  return rows
}

/** Those whose profile has one of these, in lower case, in its address. */
export async function findByProfiles(
  db: Db,
  paths: string[],
): Promise<{ id: string; linkedin_url: string }[]> {
  if (paths.length === 0) return []
  const { rows } = await sql<{ id: string; linkedin_url: string }>`
    select id, linkedin_url
    from directory_contacts
    where exists (
      select 1
      from unnest(${paths}::text[]) as asked (path)
      where strpos(lower(linkedin_url), asked.path) > 0)`.execute(db)
  return rows
}

/** Everybody of the companies at a domain or below it, or with an address there. */
export async function deleteByDomain(db: Db, domain: string): Promise<RemovedContact[]> {
  const { rows } = await sql<RemovedContact>`
    delete from directory_contacts
    where company_id in (
        select id from directory_companies where domain = ${domain} or domain like ${`%.${domain}`})
      or key like ${`e:%@${domain}`} or key like ${`e:%@%.${domain}`}
    returning ${sql.raw(removedColumns)}`.execute(db)
  return rows
}

export const deleteCompaniesByDomain = (db: Db, domain: string) =>
  db
    .deleteFrom('directory_companies')
    .where((where) =>
      where.or([where('domain', '=', domain), where('domain', 'like', `%.${domain}`)]),
    )
    .executeTakeFirst()

export const deleteSampleContacts = (db: Db) =>
  db.deleteFrom('directory_contacts').where('sample', '=', true).returning('number').execute()

/** Of those that nobody real works for. */
export async function deleteSampleCompanies(db: Db): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from directory_companies k
    where k.sample
      and not exists (select from directory_contacts c where c.company_id = k.id)`.execute(db)
  return Number(numAffectedRows ?? 0)
}
