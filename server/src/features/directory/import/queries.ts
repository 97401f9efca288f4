import { sql } from 'kysely'
import type { AnyDb } from '../../../kernel/db/db.ts'
import { preparedForAny } from '../../../kernel/db/prepared.ts'
import { type CompanyRecord, type ContactRecord, companyFields, contactFields } from '../records.ts'

/** Of this connection, until it ends; false: another one has it. */
export async function lockImport(db: AnyDb, fingerprint: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`/* session: an import is one */
    select pg_try_advisory_lock(hashtextextended(${fingerprint}, 0)) as locked`.execute(db)
  return rows[0]?.locked ?? false
}

export const unlockImport = async (db: AnyDb, fingerprint: string) => {
  await sql`/* session: an import is one */
    select pg_advisory_unlock(hashtextextended(${fingerprint}, 0))`.execute(db)
}

const companyRowColumns = [
  ...(['id', 'key', 'sample', 'timestamp_updated', 'terms'] as const),
  ...companyFields,
]
const contactRowColumns = [
  ...(['id', 'key', 'sample', 'timestamp_updated', 'terms', 'company_id', 'employees'] as const),
  ...contactFields,
]

/** What is stored beside a record. */
interface Stored {
  id: string
  key: string
  sample: boolean
  timestamp_updated: Date
}

/** A company as it is stored. */
export type KnownCompany = CompanyRecord & Stored

/** A contact as it is stored, and the key of its company. */
export type KnownContact = ContactRecord &
  Stored & { company_id: string | null; company: string | null }

/** @param company.terms a `tsvector`, as it is written */
export const companyRow = (company: KnownCompany & { terms: string }) =>
  companyRowColumns.map((column) => company[column])

/**
 * @param contact.terms a `tsvector`, as it is written
 * @param contact.employees of the company; of a row that is staged, both are made of the stored company
 */
export const contactRow = (
  contact: Omit<KnownContact, 'company'> & { terms: string; employees: number | null },
) => contactRowColumns.map((column) => contact[column])

const selectCompanies = `
  select id, key, sample, timestamp_updated, ${companyFields.join(', ')}
  from directory_companies`

export const findCompaniesByKeys = preparedForAny<[string[]], KnownCompany>(
  'find_companies_by_key',
  `${selectCompanies} where key = any($1::text[])`,
)

/** In the order of their ids, from behind this one. */
export const listCompaniesAfter = preparedForAny<[string, number], KnownCompany>(
  'list_companies_after',
  `${selectCompanies} where id > $1::uuid order by id limit $2`,
)

const selectContacts = `
  select c.id, c.key, c.sample, c.timestamp_updated, c.company_id, k.key as company,
    ${contactFields.map((column) => `c.${column}`).join(', ')}
  from directory_contacts c
  left join directory_companies k on k.id = c.company_id`

export const findContactsByKeys = preparedForAny<[string[]], KnownContact>(
  'find_contacts_by_key',
  `${selectContacts} where c.key = any($1::text[])`,
)

/** In the order of their ids, from behind this one. */
export const listContactsAfter = preparedForAny<[string, number], KnownContact>(
  'list_contacts_after',
  `${selectContacts} where c.id > $1::uuid order by c.id limit $2`,
)

/** Rows that are changed, whole but for what contacts have of their companies. */
export async function createStagingTables(db: AnyDb): Promise<void> {
  await sql`/* session: an import is one */
    create temporary table if not exists staged_companies (like directory_companies)
    on commit delete rows`.execute(db)
  await sql`/* session: an import is one */
    create temporary table if not exists staged_contacts (like directory_contacts)
    on commit delete rows`.execute(db)
}

const copyInto = (table: string, columns: string[]) =>
  `copy ${table} (${columns.join(', ')}) from stdin`

export const copyCompanies = copyInto('directory_companies', companyRowColumns)
export const copyChangedCompanies = copyInto('staged_companies', companyRowColumns)
export const copyContacts = copyInto('directory_contacts', contactRowColumns)
export const copyChangedContacts = copyInto('staged_contacts', contactRowColumns)

/** By a staged company that is stored otherwise, before that one is written. */
export interface ChangedPeople {
  key: string
  people: number
}

/** Lets contacts be found by what the staged companies say, in place of what the stored ones do. */
export async function updatePeople(db: AnyDb): Promise<ChangedPeople[]> {
  const { rows } = await sql<ChangedPeople>`
    with changed as (
      update directory_contacts c
      set terms = ts_delete(c.terms, tsvector_to_array(k.terms)) || s.terms,
        employees = s.employee_count
      from staged_companies s
      join directory_companies k on k.key = s.key
      where c.company_id = k.id
        and (k.terms, k.employee_count) is distinct from (s.terms, s.employee_count)
      returning s.key)
    select key, count(*)::integer as people
    from changed
    group by key`.execute(db)
  return rows
}

/** As they are staged. */
export async function updateCompanies(db: AnyDb): Promise<void> {
  await sql`
    update directory_companies k
    set ${takenFromStaged(['sample', 'timestamp_updated', 'terms', ...companyFields])}
    from staged_companies s
    where k.id = s.id`.execute(db)
}

/** As they are staged, and with what they have of their companies. */
export async function updateContacts(db: AnyDb): Promise<void> {
  await sql`
    update directory_contacts c
    set ${takenFromStaged(['sample', 'timestamp_updated', 'company_id', ...contactFields])},
      employees = k.employee_count, terms = s.terms || coalesce(k.terms, '')
    from staged_contacts s
    left join directory_companies k on k.id = s.company_id
    where c.id = s.id`.execute(db)
}

const takenFromStaged = (columns: string[]) =>
  sql.raw(columns.map((column) => `${column} = s.${column}`).join(', '))

/** For the statements that come: what was added is in its index, and known to the planner. */
export async function analyzeDirectory(db: AnyDb): Promise<void> {
  // Only its owner may.
  await sql`
    select gin_clean_pending_list(oid)
    from pg_class
    where oid = 'directory_contacts_terms'::regclass and pg_has_role(relowner, 'usage')`.execute(db)
  await sql`analyze directory_contacts, directory_companies, directory_terms`.execute(db)
}

/** The unfinished import of a file, or a new one. */
export async function openImport<Progress extends object>(
  db: AnyDb,
  id: string,
  fingerprint: string,
  progress: Progress,
  at: Date,
): Promise<{ id: string; progress: Progress }> {
  const { rows } = await sql<{ id: string; progress: Progress }>`
    insert into directory_imports (id, fingerprint, progress, timestamp_created, timestamp_updated)
    values (${id}::uuid, ${fingerprint}, ${JSON.stringify(progress)}, ${at}::timestamptz, ${at}::timestamptz)
    on conflict (fingerprint) where not finished do update
    set timestamp_updated = excluded.timestamp_updated
    returning id, progress`.execute(db)
  return rows[0] as (typeof rows)[number]
}

export const saveProgress = (db: AnyDb, id: string, progress: object, at: Date) =>
  db
    .updateTable('directory_imports')
    .set({ progress: JSON.stringify(progress), timestamp_updated: at })
    .where('id', '=', id)
    .execute()

export const finishImport = (db: AnyDb, id: string, at: Date) =>
  db
    .updateTable('directory_imports')
    .set({ finished: true, timestamp_updated: at })
    .where('id', '=', id)
    .execute()

/** The fingerprint of a reindex in the table of imports: the migration to terms put one there, too. */
export const reindexing = 'reindex'

export async function isReindexDue(db: AnyDb): Promise<boolean> {
  const { rows } = await sql`
    select from directory_imports where fingerprint = ${reindexing} and not finished`.execute(db)
  return rows.length > 0
}
