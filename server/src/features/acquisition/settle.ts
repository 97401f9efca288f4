import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { emit, type NewEvent } from '../events/index.ts'
import { costs, lockCredits } from './balance.ts'
import * as creditQueries from './credit-queries.ts'
import { planReveals, type Reveal, type RevealPlan, type Settled } from './plan.ts'
import * as queries from './queries.ts'
import { findUnwilling } from './unwilling.ts'

/**
 * Settles reveals of one workspace in one transaction: contacts, list entries, ledger, events and
 * balance, or nothing of it. The balance is the lock, so a batch costs one wait for it however many
 * reveals are in it. When a batch fails each of its reveals is tried alone: one that cannot be
 * written fails by itself.
 */
export async function settleReveals(
  ctx: Context,
  workspaceId: string,
  reveals: Reveal[],
): Promise<Settled[]> {
  try {
    return await settle(ctx, workspaceId, reveals)
  } catch (error) {
    if (reveals.length === 1) return [{ kind: 'failed', error }]
    const alone = reveals.map((reveal) => settleReveals(ctx, workspaceId, [reveal]))
    return (await Promise.all(alone)).flat()
  }
}

const settle = (ctx: Context, workspaceId: string, reveals: Reveal[]): Promise<Settled[]> =>
  transaction(ctx, async (tx) => {
    const { balance } = await lockCredits(tx, workspaceId)
    const ids = reveals.map((reveal) => reveal.contactId)
    const acquired = await queries.findAcquired(tx.db, workspaceId, ids)
    const lists = await findLists(tx, workspaceId, reveals)
    // Only now is the address known, and they may have asked while it was looked up.
    const unwilling = await findUnwilling(tx.db, workspaceId, [
      ...reveals.map(({ contactId, key, found }) => ({
        ...{ contact_id: contactId, key, email_folded: found?.email_folded ?? null },
      })),
      ...acquired,
    ])
    const taken = await findTaken(tx, workspaceId, reveals)
    const plan = planReveals(reveals, { balance, acquired, taken, lists, unwilling }, tx)
    await write(tx, workspaceId, plan)
    return plan.settled
  })

async function findLists(tx: Context, workspaceId: string, reveals: Reveal[]) {
  const choices = reveals.flatMap(({ list }) => list ?? [])
  if (choices.length === 0) return []
  const ids = choices.flatMap((choice) => ('id' in choice ? choice.id : []))
  const names = choices.flatMap((choice) => ('id' in choice ? [] : choice.folded))
  return queries.findLists(tx.db, workspaceId, [...new Set(ids)], [...new Set(names)])
}

/** The directory knows nobody by a proposed address, and its company leads to the rows. */
async function findTaken(tx: Context, workspaceId: string, reveals: Reveal[]) {
  const proposed = reveals.flatMap(({ found }) => (found?.source === 'pattern' ? found : []))
  if (proposed.length === 0) return []
  const companies = proposed.flatMap(({ company_id }) => company_id ?? [])
  const addresses = proposed.map(({ email_folded }) => email_folded)
  const rows = await queries.findTaken(tx.db, workspaceId, companies, addresses)
  return rows.map(({ email_folded }) => email_folded)
}

/** The charge comes last and on a condition: what it cannot pay for is rolled back. */
async function write(tx: Context, workspaceId: string, plan: RevealPlan) {
  const at = tx.now()
  if (plan.lists.length > 0) await queries.insertLists(tx.db, workspaceId, plan.lists, at)
  if (plan.entries.length > 0) await enterInLists(tx, workspaceId, plan.entries, at)
  if (plan.contacts.length === 0) return
  const contacts = plan.contacts.map(({ contact }) => contact)
  await queries.insertAcquired(tx.db, workspaceId, contacts, at)
  await creditQueries.insertEntries(tx.db, workspaceId, plan.contacts.map(chargeOf), at)
  await emit(tx, workspaceId, plan.contacts.map(eventOf))
  const credits = plan.contacts.length * costs.acquire_email
  const left = await creditQueries.chargeCredits(tx.db, workspaceId, credits)
  if (!left) throw new Error('The credits were spent although they were locked.')
}

async function enterInLists(
  tx: Context,
  workspaceId: string,
  entries: queries.ListEntry[],
  at: Date,
) {
  const entered = await queries.insertListEntries(tx.db, workspaceId, entries, at)
  if (entered.length === 0) return
  const more = new Map<string, number>()
  for (const { list_id } of entered) more.set(list_id, (more.get(list_id) ?? 0) + 1)
  await queries.addLeadCounts(tx.db, workspaceId, more)
}

type PlannedContact = RevealPlan['contacts'][number]

const chargeOf = ({ contact, reveal }: PlannedContact): creditQueries.EntryToInsert => ({
  id: contact.charge_id,
  kind: 'charge',
  amount: -costs.acquire_email,
  reason: 'e-mail acquired',
  request_id: reveal.requestId,
  contact_id: contact.contact_id,
})

const eventOf = ({ contact, list }: PlannedContact): NewEvent => ({
  type: 'contact.acquired',
  campaign: null,
  leadEmail: contact.email,
  data: {
    contact: {
      contact_id: contact.contact_id,
      ...contact.contact,
      email: contact.email,
      email_status: contact.email_status,
      confidence: contact.confidence,
    },
    list: list ? { id: list.id, name: list.name } : null,
    credits_charged: costs.acquire_email,
  },
})
