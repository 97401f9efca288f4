import type { ProcessContext } from '../../kernel/context.ts'
import { isDeadlock, isLockTimeout } from '../../kernel/db/failure.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import * as queries from './queries.ts'
import type { WorkspaceTable } from './tables.ts'

/** Everybody who writes to the table waits as long: what cannot have it at once tries again. */
const lockWaitMs = 200
const lockAgainMs = 100
/** Of so many attempts one waits until PostgreSQL calls off an autovacuum that has the table. */
const waitsLongEvery = 5
/** What has a table for so long is somebody's mistake, or an import: the move gives up. */
const lockForMs = 120_000

/**
 * Refuses, from now on, everything that is written of a workspace whose row says that it is moved:
 * triggers on every table that has rows of it, table by table. Making one, or making it anew, waits for
 * whoever is writing there, so that after the last nobody has a write under way. They exist only for a
 * move: without one a write costs what it always did.
 *
 * @param onTable called after each, with how many are done
 */
export async function raiseFence(
  ctx: ProcessContext,
  tables: WorkspaceTable[],
  workspaceId: string,
  onTable: (table: string, done: number) => void,
) {
  for (const [index, table] of tables.entries()) {
    await withLock(ctx, table.name, (tx) => queries.createFence(tx.db, table, workspaceId))
    onTable(table.name, index + 1)
  }
}

/**
 * Drops the triggers, which refuse nothing by now. It may be broken off, and run again.
 *
 * @param names tables that have them
 */
export async function lowerFence(ctx: ProcessContext, names: string[], workspaceId: string) {
  for (const name of names) {
    await withLock(ctx, name, (tx) => queries.dropFence(tx.db, name, workspaceId))
  }
}

async function withLock(
  ctx: ProcessContext,
  table: string,
  work: (tx: ProcessContext) => Promise<void>,
) {
  const untilMs = ctx.monotonicMs() + lockForMs
  for (let attempt = 1; ; attempt++) {
    const isLong = attempt % waitsLongEvery === 0
    try {
      return await transaction(ctx, async (tx) => {
        await queries.limitLockWait(tx.db, lockWaitMs, { isPastDeadlockCheck: isLong })
        await work(tx)
      })
    } catch (error) {
      if (!isLocked(error)) throw error
      if (ctx.monotonicMs() > untilMs) {
        throw new Error(
          `The lock of ${table} was not to be had for ${lockForMs / 1000} s: look in pg_stat_activity for a transaction that writes to it without an end, a dump of the database, or an autovacuum "to prevent wraparound", and run the command again once that is over.`,
          { cause: error },
        )
      }
      await ctx.sleep(lockAgainMs)
    }
  }
}

/** Lock timeout, or a deadlock with whoever takes tables in another order. */
const isLocked = (error: unknown) => isLockTimeout(error) || isDeadlock(error)
