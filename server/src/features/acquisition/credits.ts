import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { AppError, invalidField } from '../../kernel/errors.ts'
import { type Page, type PageRequest, toPage } from '../../kernel/http/page.ts'
import { type AuditAction, operator, recordAudit } from '../audit/index.ts'
import type { CreditEntry } from './application-schema.ts'
import { costs, enter, lockCredits, readCredits } from './balance.ts'
import * as queries from './credit-queries.ts'
import { findShownAddresses } from './lists.ts'
import type { Credits } from './period.ts'
import type { Balance } from './schema.ts'

export async function getBalance(ctx: Context, workspaceId: string): Promise<Balance> {
  return balanceRecord(await readCredits(ctx, workspaceId))
}

/** The ledger, newest first, with whose address each charge and refund was for. */
export async function listCreditEntries(
  ctx: Context,
  workspaceId: string,
  page: PageRequest,
): Promise<Page<CreditEntry>> {
  // Its first entry is made by whoever looks first.
  await readCredits(ctx, workspaceId)
  const { items, ...cursor } = toPage(
    await queries.listEntries(ctx.db, workspaceId, page),
    page.limit,
  )
  const contactIds = items.flatMap(({ contact_id }) => contact_id ?? [])
  const addresses = await findShownAddresses(ctx, workspaceId, [...new Set(contactIds)])
  return {
    items: items.map((entry) => ({
      ...entry,
      email: (entry.contact_id && addresses.get(entry.contact_id)) ?? null,
    })),
    ...cursor,
  }
}

export interface CreditGrant {
  /** At least 1. */
  credits: number
  reason?: string | undefined
}

/** Far from what an integer holds. */
const balanceMax = 1_000_000_000

/** By the operator; they do not expire. */
export async function grantCredits(
  ctx: Context,
  workspaceId: string,
  { credits, reason }: CreditGrant,
): Promise<Balance> {
  return transaction(ctx, async (tx) => {
    const held = await lockCredits(tx, workspaceId)
    if (credits < 1 || held.balance + credits > balanceMax) {
      throw invalidField('/credits', `A workspace has at most ${balanceMax} credits.`)
    }
    const after = { ...held, granted: held.granted + credits, balance: held.balance + credits }
    await queries.updateAccount(tx.db, workspaceId, after)
    await enter(tx, workspaceId, [{ kind: 'grant', amount: credits, reason: reason ?? null }])
    await audit(tx, workspaceId, 'credits.granted', { credits, reason: reason ?? null })
    return balanceRecord(after)
  })
}

/** Gives back what an acquired contact cost, once; the contact stays acquired. */
export async function refundContact(
  ctx: Context,
  workspaceId: string,
  contactId: string,
  reason?: string,
): Promise<Balance> {
  return transaction(ctx, async (tx) => {
    const held = await lockCredits(tx, workspaceId)
    const entries = await queries.listContactEntries(tx.db, workspaceId, contactId)
    const charged = entries.find((entry) => entry.kind === 'charge')
    if (!charged) {
      throw new AppError(
        'not_found',
        'This workspace was charged for no such contact; check its id.',
      )
    }
    if (entries.length > 1) throw invalidField('/contact_id', 'This contact was refunded already.')
    const credits = -charged.amount
    // What an earlier period was charged is not among what this one used.
    const isOfThisPeriod = charged.timestamp_created >= held.period_start && held.used >= credits
    const after = {
      ...held,
      ...(isOfThisPeriod ? { used: held.used - credits } : { granted: held.granted + credits }),
      balance: held.balance + credits,
    }
    await queries.updateAccount(tx.db, workspaceId, after)
    await enter(tx, workspaceId, [
      { kind: 'refund', amount: credits, reason: reason ?? null, contact_id: contactId },
    ])
    await audit(tx, workspaceId, 'credits.refunded', { credits, contact_id: contactId })
    return balanceRecord(after)
  })
}

const audit = (
  tx: Context,
  workspaceId: string,
  action: AuditAction,
  details: Record<string, string | number | null>,
) =>
  recordAudit(tx, {
    workspaceId,
    ...operator,
    action,
    subjectType: 'workspace',
    subjectId: workspaceId,
    details,
  })

const balanceRecord = ({ balance, granted, used, period_start, period_end }: Credits): Balance => ({
  balance,
  granted,
  used,
  period_start,
  period_end,
  costs,
})
