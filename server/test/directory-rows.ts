import { reindexDirectory } from '../src/features/directory/index.ts'
import { type AnyContext, aroundPooler, processOf } from '../src/kernel/context.ts'

export interface PersonRow {
  id?: string
  key?: string
  first_name?: string | null
  last_name?: string | null
  title?: string
  /** Null: nobody knows it, and it has to be looked up. */
  email?: string | null
  email_status?: string | null
  has_email?: boolean
  company_id?: string | null
}

/** @returns its id */
export async function insertCompany(
  ctx: AnyContext,
  { name = 'Example Ltd', domain = `company-${ctx.newId()}.example` as string | null } = {},
): Promise<string> {
  const id = ctx.newId()
  const at = ctx.now()
  await ctx.db
    .insertInto('directory_companies')
    .values({ id, key: id, name, domain, timestamp_updated: at })
    .execute()
  return id
}

/** @returns their ids, in the order given */
export async function insertPeople(ctx: AnyContext, people: PersonRow[]): Promise<string[]> {
  const at = ctx.now()
  const rows = people.map((person) => {
    const { id = ctx.newId() } = person
    const { email = `person-${id}@example.com`, email_status = 'verified' } = person
    return {
      ...{ id, company_id: null, first_name: 'Ada', last_name: 'Lovelace' },
      key: email === null ? `i:${id}` : `e:${email.toLowerCase()}`,
      ...person,
      ...{ email, email_status: email === null ? null : email_status },
      has_email: person.has_email ?? true,
      timestamp_updated: at,
    }
  })
  await ctx.db.insertInto('directory_contacts').values(rows).execute()
  return rows.map((row) => row.id)
}

export const insertPerson = async (ctx: AnyContext, person: PersonRow = {}): Promise<string> =>
  (await insertPeople(ctx, [person]))[0] ?? ''

/** Lets searches find whom was inserted. */
export const indexPeople = (ctx: AnyContext) => reindexDirectory(aroundPooler(processOf(ctx)))
