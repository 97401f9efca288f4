import { type Insertable, sql, type Updateable } from 'kysely'
import type { Db } from '../../../kernel/db/db.ts'
import { prepared } from '../../../kernel/db/prepared.ts'
import type { DirectoryImports } from '../../../kernel/db/types.gen.ts'
import { companyColumns, companyCopyColumns } from './company-rows.ts'
import { contactColumns, contactCopyColumns } from './contact-columns.ts'
import type { CompanyRecord } from './records.ts'

/** Of this connection, until it ends; false: another one has it. */
export async function lockImport(db: Db, fingerprint: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_lock(hashtextextended(${fingerprint}, 0)) as locked`.execute(db)
  return rows[0]?.locked ?? false
}

export const unlockImport = async (db: Db, fingerprint: string) => {
  await sql`select pg_advisory_unlock(hashtextextended(${fingerprint}, 0))`.execute(db)
}

/** The newest contact; undefined in an empty directory. */
export const findNewest = (db: Db) =>
  db
    .selectFrom('directory_contacts')
    .select(['id', 'number'])
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Whoever has it alone may do without the index of keys. Of this connection, until it ends. */
export async function lockKeyIndex(db: Db): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_lock(hashtext('outrider directory keys')) as locked`.execute(db)
  return rows[0]?.locked ?? false
}

export const unlockKeyIndex = async (db: Db) => {
  await sql`select pg_advisory_unlock(hashtext('outrider directory keys'))`.execute(db)
}

export async function hasKeyIndex(db: Db): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass('directory_contacts_key') is not null as there`.execute(db)
  return rows[0]?.there ?? false
}

/**
 * Whoever searches meanwhile waits as long as this does.
 *
 * @throws SQLSTATE 55P03 when somebody reads the table for long, 42501 when we may not
 */
export const dropKeyIndex = async (db: Db) => {
  await sql`set local lock_timeout = '200ms'`.execute(db)
  await sql`drop index directory_contacts_key`.execute(db)
}

export const createKeyIndex = async (db: Db) => {
  await sql`set local maintenance_work_mem = '128MB'`.execute(db)
  await sql`set local statement_timeout = 0`.execute(db)
  // Its pages hardly shrink, and to try costs as much as to sort the keys. Not everybody may set it.
  await sql`
    select set_config('wal_compression', 'off', true)
    where has_parameter_privilege('wal_compression', 'set')`.execute(db)
  await sql`create unique index directory_contacts_key on directory_contacts (key)`.execute(db)
}

export const listContactKeys = async (db: Db, most: number): Promise<string[]> => {
  const rows = await db.selectFrom('directory_contacts').select('key').limit(most).execute()
  return rows.map(({ key }) => key)
}

export const listCompanyKeys = async (db: Db, most: number): Promise<string[]> => {
  const rows = await db.selectFrom('directory_companies').select('key').limit(most).execute()
  return rows.map(({ key }) => key)
}

/**
 * Vacuum would go through the rows again and again while they are added; it comes once they are. Nobody
 * else who reads or writes them notices.
 */
export const keepVacuumAway = async (db: Db) => {
  await sql`lock table directory_contacts in share update exclusive mode`.execute(db)
}

/** Of the open transaction: its commit is on disk a moment after it is answered. */
export const commitWithoutWaiting = async (db: Db) => {
  await sql`set local synchronous_commit = off`.execute(db)
}

export interface KnownContact {
  key: string
  id: string
  number: number
}

export const findByKeys = prepared<[string[]], KnownContact>(
  'find_contacts_by_key',
  `select key, id, number
   from directory_contacts
   where key = any($1::text[])`,
)

export interface StoredCompanyRow extends CompanyRecord {
  id: string
  key: string
}

export const findCompaniesByKeys = prepared<[string[]], StoredCompanyRow>(
  'find_companies_by_key',
  `select id, key, ${companyColumns.join(', ')}
   from directory_companies
   where key = any($1::text[])`,
)

export const copyContacts = `copy directory_contacts (${contactCopyColumns.join(', ')}) from stdin (format binary)`
export const copyCompanies = `copy directory_companies (${companyCopyColumns.join(', ')}) from stdin (format binary)`

/** Rows of which the directory has an older state; empty after every transaction. */
export async function createChangeTables(db: Db): Promise<void> {
  await sql`
    create temporary table if not exists changed_contacts (like directory_contacts)
    on commit delete rows`.execute(db)
  await sql`
    create temporary table if not exists changed_companies (like directory_companies)
    on commit delete rows`.execute(db)
}

export const copyChangedContacts = copyContacts.replace('directory_contacts', 'changed_contacts')
export const copyChangedCompanies = copyCompanies.replace(
  'directory_companies',
  'changed_companies',
)

const contactFields = ['company_id', ...contactColumns.slice(1, -1)] as const

/**
 * What the changed rows say goes over what is known; what they do not say stays.
 *
 * @returns the numbers of those that are not as they were
 */
export async function updateContacts(db: Db): Promise<number[]> {
  const said = contactFields.map((column) => `coalesce(s.${column}, c.${column})`)
  const { rows } = await sql<{ number: number }>`
    update directory_contacts c
    set ${sql.raw(contactFields.map((column, i) => `${column} = ${said[i]}`).join(', '))},
      has_email = c.has_email or s.has_email, sample = c.sample and s.sample,
      timestamp_updated = s.timestamp_updated
    from changed_contacts s
    where c.id = s.id
      and (${sql.raw(said.join(', '))}, c.has_email or s.has_email, c.sample and s.sample)
        is distinct from
        (${sql.raw(contactFields.map((column) => `c.${column}`).join(', '))}, c.has_email, c.sample)
    returning c.number`.execute(db)
  return rows.map((row) => row.number)
}

/** The changed rows are whole. */
export async function updateCompanies(db: Db): Promise<void> {
  const columns = [...companyColumns, 'timestamp_updated'] as const
  await sql`
    update directory_companies k
    set ${sql.raw(columns.map((column) => `${column} = s.${column}`).join(', '))},
      sample = k.sample and s.sample
    from changed_companies s
    where k.id = s.id`.execute(db)
}

export const existsOptOut = async (db: Db): Promise<boolean> =>
  (await db
    .selectFrom('directory_optouts')
    .select('kind')
    .where('kind', '<>', 'contact')
    .limit(1)
    .executeTakeFirst()) !== undefined

/** The unfinished one of a file. */
export const findImport = (db: Db, fingerprint: string) =>
  db
    .selectFrom('directory_imports')
    .select(['id', 'progress'])
    .where('fingerprint', '=', fingerprint)
    .where('finished', '=', false)
    .executeTakeFirst()

export const insertImport = (db: Db, row: Insertable<DirectoryImports>) =>
  db.insertInto('directory_imports').values(row).execute()

export const updateImport = (db: Db, id: string, changes: Updateable<DirectoryImports>) =>
  db.updateTable('directory_imports').set(changes).where('id', '=', id).execute()
