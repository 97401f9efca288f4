import { sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { newestFirst } from '../../kernel/db/newest-first.ts'
import { prepared } from '../../kernel/db/prepared.ts'
import type { PageRequest } from '../../kernel/http/page.ts'
import type { Credits } from './period.ts'

/** With what the plan grants each month. */
export interface Account extends Credits {
  plan_monthly_credits: number
}

const accountOf = `select b.balance, b.granted, b.used, b.period_grant, b.period_start, b.period_end,
     w.plan_monthly_credits
   from credit_balances b
   join workspaces w on w.id = b.workspace_id
   where b.workspace_id = $1`

const selectAccount = prepared<[string], Account>('find_credit_account', accountOf)

export const findAccount = async (db: Db, workspaceId: string) =>
  (await selectAccount(db, workspaceId))[0]

const selectAccountForUpdate = prepared<[string], Account>(
  'lock_credit_account',
  `${accountOf} for update of b`,
)

/** Whoever changes the balance, the ledger or the lists of a workspace does so one after the other. */
export const lockAccount = async (db: Db, workspaceId: string) =>
  (await selectAccountForUpdate(db, workspaceId))[0]

/** @returns whether it was not there yet */
export async function insertAccount(db: Db, workspaceId: string, credits: Credits) {
  const inserted = await db
    .insertInto('credit_balances')
    .values({ workspace_id: workspaceId, ...credits })
    .onConflict((conflict) => conflict.column('workspace_id').doNothing())
    .returning('workspace_id')
    .executeTakeFirst()
  return inserted !== undefined
}

/** The row is locked. */
export const updateAccount = (
  db: Db,
  workspaceId: string,
  { balance, granted, used, period_grant, period_start, period_end }: Credits,
) =>
  db
    .updateTable('credit_balances')
    .set({ balance, granted, used, period_grant, period_start, period_end })
    .where('workspace_id', '=', workspaceId)
    .execute()

const charge = prepared<[string, number], { balance: number }>(
  'charge_credits',
  `update credit_balances
   set balance = balance - $2, used = used + $2
   where workspace_id = $1 and balance >= $2
   returning balance`,
)

/** Nothing when there are fewer. */
export const chargeCredits = async (db: Db, workspaceId: string, credits: number) =>
  (await charge(db, workspaceId, credits))[0]

export interface EntryToInsert {
  id: string
  kind: 'grant' | 'charge' | 'refund' | 'expiry'
  amount: number
  reason: string | null
  request_id: string | null
  contact_id: string | null
}

const insertBatch = prepared<
  [
    string,
    Date,
    string[],
    string[],
    number[],
    (string | null)[],
    (string | null)[],
    (string | null)[],
  ],
  never
>(
  'insert_credit_entries',
  `insert into credit_entries
     (workspace_id, id, kind, amount, reason, request_id, contact_id, timestamp_created)
   select $1, id, kind, amount, reason, request_id, contact_id, $2
   from unnest($3::uuid[], $4::text[], $5::integer[], $6::text[], $7::text[], $8::uuid[])
     as batch (id, kind, amount, reason, request_id, contact_id)`,
)

export const insertEntries = (db: Db, workspaceId: string, entries: EntryToInsert[], at: Date) =>
  insertBatch(
    db,
    workspaceId,
    at,
    entries.map((entry) => entry.id),
    entries.map((entry) => entry.kind),
    entries.map((entry) => entry.amount),
    entries.map((entry) => entry.reason),
    entries.map((entry) => entry.request_id),
    entries.map((entry) => entry.contact_id),
  )

/** What was charged for a contact, and what was given back. */
export const listContactEntries = (db: Db, workspaceId: string, contactId: string) =>
  db
    .selectFrom('credit_entries')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('contact_id', '=', contactId)
    .execute()

/** Newest first, and one more than the page holds. */
export const listEntries = (db: Db, workspaceId: string, page: PageRequest) =>
  db
    .selectFrom('credit_entries')
    .select(['id', 'amount', 'reason', 'request_id', 'contact_id'])
    .select(sql<EntryToInsert['kind']>`kind`.as('kind'))
    .select(sql<Date>`timestamp_created`.as('timestamp_created'))
    .where('workspace_id', '=', workspaceId)
    .$call(newestFirst(page))
    .execute()
