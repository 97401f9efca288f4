import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { newestFirst } from '../../kernel/db/newest-first.ts'
import { prepared } from '../../kernel/db/prepared.ts'
import type { PageRequest } from '../../kernel/http/page.ts'
import type { ListedContact, StoredContact } from './record.ts'
import type { AcquireList } from './schema.ts'

const storedColumns = `a.contact_id, a.charge_id, a.company_id, a.contact, a.email, a.email_folded,
  a.email_status, a.confidence, a.source, a.timestamp_created`

/** Which of the contacts the workspace has acquired. */
export const findAcquired = prepared<[string, string[]], StoredContact>(
  'find_acquired_contacts',
  `select ${storedColumns}
   from acquired_contacts a
   where a.workspace_id = $1 and a.contact_id = any($2::uuid[])`,
)

/** Which of the contacts are acquired, where only the answer to "is it?" is asked for. */
export const findAcquiredIds = prepared<[string, string[]], { contact_id: string }>(
  'find_acquired_ids',
  `select contact_id
   from acquired_contacts
   where workspace_id = $1 and contact_id = any($2::uuid[])`,
)

/** By which of the addresses, folded, the workspace has acquired somebody of these companies. */
export const findTaken = prepared<[string, string[], string[]], { email_folded: string }>(
  'find_taken_addresses',
  `select email_folded
   from acquired_contacts
   where workspace_id = $1 and company_id = any($2::uuid[]) and email_folded = any($3::text[])`,
)

/** A query of the ids of everybody whom the workspace has acquired. */
export const acquiredIds = (workspaceId: string) => sql`
  select contact_id from acquired_contacts where workspace_id = ${workspaceId}::uuid`

interface AcquiredAt {
  count: number
  /** Of the company, as the one who was acquired last had it. */
  name: string | null
  domain: string | null
}

export async function findAcquiredAt(db: Db, workspaceId: string, companyId: string) {
  const { rows } = await sql<AcquiredAt>`
    select count(*) over ()::integer as count, contact->'company'->>'name' as name,
      contact->'company'->>'domain' as domain
    from acquired_contacts
    where workspace_id = ${workspaceId}::uuid and company_id = ${companyId}::uuid
    order by timestamp_created desc, contact_id desc
    limit 1`.execute(db)
  return rows[0]
}

type Texts = (string | null)[]

const insertAcquiredBatch = prepared<
  [
    string,
    Date,
    string[],
    string[],
    Texts,
    string[],
    string[],
    string[],
    string[],
    Texts,
    string[],
  ],
  never
>(
  'insert_acquired_contacts',
  `insert into acquired_contacts (workspace_id, contact_id, charge_id, company_id, contact, email,
     email_folded, email_status, confidence, source, timestamp_created)
   select $1, contact_id, charge_id, company_id, contact, email, email_folded, email_status,
     confidence, source, $2
   from unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::jsonb[], $7::text[], $8::text[], $9::text[],
     $10::real[], $11::text[]) as batch (contact_id, charge_id, company_id, contact, email,
     email_folded, email_status, confidence, source)`,
)

/** Fails on a contact that is there already: whoever writes holds the workspace's credits. */
export const insertAcquired = (db: Db, workspaceId: string, contacts: StoredContact[], at: Date) =>
  insertAcquiredBatch(
    db,
    workspaceId,
    at,
    contacts.map((contact) => contact.contact_id),
    contacts.map((contact) => contact.charge_id),
    contacts.map((contact) => contact.company_id),
    contacts.map((contact) => JSON.stringify(contact.contact)),
    contacts.map((contact) => contact.email),
    contacts.map((contact) => contact.email_folded),
    contacts.map((contact) => contact.email_status),
    contacts.map((contact) => contact.confidence?.toString() ?? null),
    contacts.map((contact) => contact.source),
  )

export interface FoundList {
  id: string
  name: string
  name_folded: string
}

/** By id or by folded name. */
export const findLists = prepared<[string, string[], string[]], FoundList>(
  'find_acquire_lists',
  `select id, name, name_folded
   from acquire_lists
   where workspace_id = $1 and (id = any($2::uuid[]) or name_folded = any($3::text[]))`,
)

export const insertLists = (db: Db, workspaceId: string, lists: FoundList[], at: Date) =>
  db
    .insertInto('acquire_lists')
    .values(lists.map((list) => ({ workspace_id: workspaceId, ...list, timestamp_created: at })))
    .execute()

export interface ListEntry {
  id: string
  list_id: string
  contact_id: string
}

const insertEntryBatch = prepared<
  [string, Date, string[], string[], string[]],
  { list_id: string }
>(
  'insert_acquire_list_entries',
  `insert into acquire_list_entries (workspace_id, id, list_id, contact_id, timestamp_created)
   select $1, id, list_id, contact_id, $2
   from unnest($3::uuid[], $4::uuid[], $5::uuid[]) as batch (id, list_id, contact_id)
   on conflict (workspace_id, list_id, contact_id) do nothing
   returning list_id`,
)

/** @returns the list of each entry that was not there yet */
export const insertListEntries = (db: Db, workspaceId: string, entries: ListEntry[], at: Date) =>
  insertEntryBatch(
    db,
    workspaceId,
    at,
    entries.map((entry) => entry.id),
    entries.map((entry) => entry.list_id),
    entries.map((entry) => entry.contact_id),
  )

const addCounts = prepared<[string, string[], number[]], never>(
  'add_acquire_list_counts',
  `update acquire_lists l
   set lead_count = l.lead_count + batch.more
   from unnest($2::uuid[], $3::integer[]) as batch (id, more)
   where l.workspace_id = $1 and l.id = batch.id`,
)

export const addLeadCounts = (db: Db, workspaceId: string, more: Map<string, number>) =>
  addCounts(db, workspaceId, [...more.keys()], [...more.values()])

/** Newest first, and one more than the page holds. */
export const listLists = (db: Db, workspaceId: string, page: PageRequest): Promise<AcquireList[]> =>
  db
    .selectFrom('acquire_lists')
    .select(['id', 'name', 'lead_count', 'timestamp_created'])
    .where('workspace_id', '=', workspaceId)
    .$call(newestFirst(page))
    .execute()

/** Newest entry first, and one more than the page holds. */
export const listContacts = async (
  db: Db,
  workspaceId: string,
  listId: string,
  page: PageRequest,
) => {
  const { rows } = await sql<ListedContact>`
    select e.id, ${sql.raw(storedColumns.replace('a.timestamp_created', 'e.timestamp_created'))}
    from acquire_list_entries e
    join acquired_contacts a on a.workspace_id = e.workspace_id and a.contact_id = e.contact_id
    where e.workspace_id = ${workspaceId}::uuid and e.list_id = ${listId}::uuid
      and (${page.startingAfter ?? null}::uuid is null or e.id < ${page.startingAfter ?? null}::uuid)
    order by e.id desc
    limit ${page.limit + 1}::integer`.execute(db)
  return rows
}
