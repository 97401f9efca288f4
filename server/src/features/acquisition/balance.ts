import { type Context, inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import { isReadOnly, isUnreachable } from '../../kernel/db/failure.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { nilId } from '../../kernel/ids.ts'
import { describeError } from '../../kernel/log.ts'
import { getWorkspace } from '../workspaces/index.ts'
import * as queries from './credit-queries.ts'
import { findDuePeriods } from './cross-workspace.ts'
import { type Credits, turnPeriod } from './period.ts'

/** Credits. Searching is free. */
export const costs = { find: 0, acquire_email: 1 }

/** As they are now: without a lock unless they are opened, or turned to a new period, by this. */
export async function readCredits(ctx: Context, workspaceId: string): Promise<Credits> {
  const account = await queries.findAccount(ctx.db, workspaceId)
  if (account && !turnPeriod(account, account.plan_monthly_credits, ctx.now())) return account
  return transaction(inWorkspace(ctx, workspaceId), (tx) => lockCredits(tx, workspaceId))
}

/**
 * Locks the credits of a workspace until the transaction ends. They are opened at their first use, so
 * that workspaces know nothing of them, and turned to a new period when one is due: exactly once,
 * whoever comes first.
 */
export async function lockCredits(tx: Context, workspaceId: string): Promise<Credits> {
  const account =
    (await queries.lockAccount(tx.db, workspaceId)) ?? (await openAccount(tx, workspaceId))
  const turn = turnPeriod(account, account.plan_monthly_credits, tx.now())
  if (!turn) return account
  await queries.updateAccount(tx.db, workspaceId, turn.credits)
  await enter(tx, workspaceId, [
    { kind: 'expiry', amount: -turn.expired, reason: 'monthly credits not used' },
    { kind: 'grant', amount: turn.granted, reason: 'monthly credits' },
  ])
  return turn.credits
}

/**
 * The account has the workspace's age, not that of the first look at it. Two who open it at once: the
 * second waits for the first, and finds it open.
 */
async function openAccount(tx: Context, workspaceId: string): Promise<queries.Account> {
  const { starting_credits: granted, timestamp_created } = await getWorkspace(tx, workspaceId)
  const isNew = await queries.insertAccount(tx.db, workspaceId, {
    balance: granted,
    granted,
    used: 0,
    period_grant: 0,
    period_start: timestamp_created,
    period_end: null,
  })
  if (isNew) {
    const start = { kind: 'grant', amount: granted, reason: 'starting credits' } as const
    await enter(tx, workspaceId, [start], timestamp_created)
  }
  const account = await queries.lockAccount(tx.db, workspaceId)
  if (!account) throw new Error('The credits of a workspace are gone.')
  return account
}

/** Upkeep: nobody has to ask for credits to have them when the month begins. */
export async function grantMonthlyCredits(ctx: ProcessContext) {
  const chunk = 500
  let after = nilId
  for (;;) {
    const due = await findDuePeriods(ctx.db, ctx.now(), after, chunk)
    for (const workspaceId of due) {
      after = workspaceId
      await transaction(inWorkspace(ctx, workspaceId), (tx) => lockCredits(tx, workspaceId)).catch(
        (error) => {
          // Then it is so for all: the loop tells of it once, and begins again.
          if (isUnreachable(error) || isReadOnly(error)) throw error
          const fields = { workspace: workspaceId, ...describeError(error) }
          ctx.log.error(fields, 'the monthly credits of a workspace are granted later')
        },
      )
    }
    if (due.length < chunk) return
  }
}

interface NewEntry {
  kind: queries.EntryToInsert['kind']
  /** Nothing is entered of 0. */
  amount: number
  reason: string | null
  contact_id?: string
}

/** Writes to the ledger what is done to the balance in the same transaction. */
export const enter = (tx: Context, workspaceId: string, entries: NewEntry[], at = tx.now()) =>
  queries.insertEntries(
    tx.db,
    workspaceId,
    entries
      .filter((entry) => entry.amount !== 0)
      .map((entry) => ({ contact_id: null, ...entry, id: tx.newId(), request_id: null })),
    at,
  )
