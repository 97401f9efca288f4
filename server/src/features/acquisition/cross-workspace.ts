import { sql } from 'kysely'
import type { ProcessDb } from '../../kernel/db/db.ts'
import type { OptOutRequest } from '../directory/index.ts'
import type { ContactSnapshot } from './record.ts'

/** Workspaces whose period is over, or whose plan has monthly credits and no period yet; in id order. */
export async function findDuePeriods(db: ProcessDb, now: Date, after: string, most: number) {
  const { rows } = await sql<{ id: string }>`
    /* cross-workspace: monthly credits are granted to all */
    select w.id
    from workspaces w
    left join credit_balances b on b.workspace_id = w.id
    where w.id > ${after}::uuid and w.moving_to is null
      and (b.period_end <= ${now}::timestamptz or w.plan_monthly_credits > 0 and b.period_end is null)
    order by w.id
    limit ${most}::integer`.execute(db)
  return rows.map((row) => row.id)
}

const isTheirs = ({ kind, value }: OptOutRequest) =>
  kind === 'address'
    ? sql`email_folded = ${value}`
    : sql`(email_folded like ${`%@${value}`} or email_folded like ${`%@%.${value}`})`

/** Contacts that were revealed to somebody by this address, or by one of this domain or below it. */
export async function findRevealed(db: ProcessDb, request: OptOutRequest): Promise<string[]> {
  const { rows } = await sql<{ contact_id: string }>`
    /* cross-workspace: who asks to be removed is removed for all */
    select distinct contact_id
    from acquired_contacts
    where ${isTheirs(request)}`.execute(db)
  return rows.map(({ contact_id }) => contact_id)
}

/** What workspaces were shown of those who were revealed by this address. */
export async function findShown(db: ProcessDb, request: OptOutRequest): Promise<ContactSnapshot[]> {
  const { rows } = await sql<{ contact: ContactSnapshot }>`
    /* cross-workspace: who asks to be removed is removed for all */
    select distinct contact
    from acquired_contacts
    where ${isTheirs(request)}`.execute(db)
  return rows.map(({ contact }) => contact)
}

/** The addresses, folded, by which the contacts were revealed to anybody. */
export async function findRevealedAddresses(
  db: ProcessDb,
  contactIds: string[],
): Promise<string[]> {
  const { rows } = await sql<{ email_folded: string }>`
    /* cross-workspace: who asks to be removed is removed for all */
    select distinct email_folded
    from acquired_contacts
    where contact_id = any(${contactIds}::uuid[])`.execute(db)
  return rows.map(({ email_folded }) => email_folded)
}
