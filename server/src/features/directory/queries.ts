import { sql } from 'kysely'
import type { AnyDb } from '../../kernel/db/db.ts'
import { preparedForAny } from '../../kernel/db/prepared.ts'
import { addressKey, companyKey } from './identity.ts'
import { companyFields } from './records.ts'
import type { ShownContact } from './schema.ts'

export interface FoundContact extends ShownContact {
  id: string
  has_email: boolean
}

const companyColumn = `
  case when k.id is not null then jsonb_build_object('company_id', k.id, 'name', k.name,
    'domain', k.domain, 'industry', k.industry, 'employee_count', k.employee_count) end as company`

const foundColumns = `c.id, c.first_name, c.last_name, c.title, c.seniority, c.department,
  c.city, c.country, c.has_email, ${companyColumn}`

/** Newest first. */
export const findByIds = preparedForAny<[string[]], FoundContact>(
  'find_contacts_by_id',
  `select ${foundColumns}
   from directory_contacts c
   left join directory_companies k on k.id = c.company_id
   where c.id = any($1::uuid[])
   order by c.id desc`,
)

/** Everything about a contact that is not the workspaces'. */
export interface DirectoryContact extends FoundContact {
  key: string
  linkedin_url: string | null
  email: string | null
  email_folded: string | null
  email_status: string | null
}

export const findContacts = preparedForAny<[string[]], DirectoryContact>(
  'find_directory_contacts',
  `select ${foundColumns}, c.key, c.linkedin_url, c.email, c.email_status,
     case when starts_with(c.key, 'e:') then substr(c.key, 3) end as email_folded
   from directory_contacts c
   left join directory_companies k on k.id = c.company_id
   where c.id = any($1::uuid[])`,
)

/** An address of a company, and whose it is. */
export interface KnownAddress {
  first_name: string | null
  last_name: string | null
  /** As `parseEmail` folds it. */
  email_folded: string
}

/** Of the contacts with these terms, a `tsquery`, those who have an address at the domain. */
export const findAddresses = preparedForAny<[string, string, number], KnownAddress>(
  'find_known_addresses',
  `with found as materialized (
     select id, key, email, first_name, last_name from directory_contacts where terms @@ $1::tsquery)
   select first_name, last_name, substr(key, 3) as email_folded
   from found
   where email is not null and split_part(key, '@', -1) = $2
   order by id desc
   limit $3`,
)

const findKeys = preparedForAny<[string], { key: string }>(
  'find_directory_key',
  'select key from directory_contacts where key = $1',
)

/** Whether it is, or was, the address, folded, of somebody in the directory. */
export const isKnownAddress = async (db: AnyDb, folded: string): Promise<boolean> =>
  (await findKeys(db, addressKey(folded))).length > 0

/** The company of this id, or else the one that an import would take for the same. */
export const findCompany = (
  db: AnyDb,
  id: string,
  { name, domain }: { name: string | null; domain: string | null },
) =>
  db
    .selectFrom('directory_companies')
    .select(['id', ...companyFields])
    .where((where) => where.or([where('id', '=', id), where('key', '=', companyKey(domain, name))]))
    .orderBy((order) => order('id', '=', id), 'desc')
    .limit(1)
    .executeTakeFirst()

/** Until the transaction ends nobody else adds contacts or opts out. */
export async function lockDirectory(tx: AnyDb): Promise<void> {
  await sql`/* installation: its directory */
    select pg_advisory_xact_lock(hashtext('outrider directory'))`.execute(tx)
}

/** What somebody is known by without an address. */
export interface NamedContact {
  id: string
  first_name: string | null
  last_name: string | null
  linkedin_url: string | null
  company_key: string | null
}

const namedColumns = `id, first_name, last_name, linkedin_url,
  (select k.key from directory_companies k where k.id = company_id) as company_key`

export interface FoundPerson extends NamedContact {
  key: string
  company_id: string | null
}

export async function findByKeys(db: AnyDb, keys: string[], ids: string[]): Promise<FoundPerson[]> {
  const { rows } = await sql<FoundPerson>`
    select ${sql.raw(namedColumns)}, key, company_id
    from directory_contacts
    where key = any(${keys}::text[]) or id = any(${ids}::uuid[])`.execute(db)
  return rows
}

export interface RemovedContact extends FoundPerson {
  terms: string[]
}

const removedColumns = `${namedColumns}, key, company_id, tsvector_to_array(terms) as terms`

export async function deleteContacts(db: AnyDb, ids: string[]): Promise<RemovedContact[]> {
  const { rows } = await sql<RemovedContact>`
    delete from directory_contacts
    where id = any(${ids}::uuid[])
    returning ${sql.raw(removedColumns)}`.execute(db)
  return rows
}

/** People whose profile has one of these, in lower case, in its address. */
export async function findByProfiles(
  db: AnyDb,
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

/** People of the companies of whom no address is known. */
export async function findWithoutAddress(db: AnyDb, companyIds: string[]): Promise<NamedContact[]> {
  const { rows } = await sql<NamedContact>`
    select ${sql.raw(namedColumns)}
    from directory_contacts
    where company_id = any(${companyIds}::uuid[]) and key not like 'e:%'`.execute(db)
  return rows
}

/** Of the companies at a domain or below it, or with an address there. */
const isOfDomain = (domain: string) => sql`(
  company_id = any(array(
    select id from directory_companies where domain = ${domain} or domain like ${`%.${domain}`}))
  or key like ${`e:%@${domain}`} or key like ${`e:%@%.${domain}`})`

export async function findByDomain(
  db: AnyDb,
  domain: string,
): Promise<Pick<FoundPerson, 'id' | 'key'>[]> {
  const { rows } = await sql<Pick<FoundPerson, 'id' | 'key'>>`
    select id, key from directory_contacts where ${isOfDomain(domain)}`.execute(db)
  return rows
}

export async function deleteByDomain(db: AnyDb, domain: string): Promise<RemovedContact[]> {
  const { rows } = await sql<RemovedContact>`
    delete from directory_contacts
    where ${isOfDomain(domain)}
    returning ${sql.raw(removedColumns)}`.execute(db)
  return rows
}

export const deleteCompaniesByDomain = (db: AnyDb, domain: string) =>
  db
    .deleteFrom('directory_companies')
    .where((where) =>
      where.or([where('domain', '=', domain), where('domain', 'like', `%.${domain}`)]),
    )
    .executeTakeFirst()

export async function deleteSampleContacts(db: AnyDb): Promise<{ terms: string[] }[]> {
  const { rows } = await sql<{ terms: string[] }>`
    delete from directory_contacts
    where sample
    returning tsvector_to_array(terms) as terms`.execute(db)
  return rows
}

/** Of those that nobody real works for. */
export async function deleteSampleCompanies(db: AnyDb): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from directory_companies k
    where k.sample
      and not exists (select from directory_contacts c where c.company_id = k.id)`.execute(db)
  return Number(numAffectedRows ?? 0)
}
