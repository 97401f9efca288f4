import { sql } from 'kysely'
import { Batcher, type BatcherOptions } from '../batcher.ts'
import type { ProcessContext } from '../context.ts'
import { codeOf } from '../errors.ts'
import { isAboutData, isLockTimeout, movingOf } from './failure.ts'
import { transaction } from './transaction.ts'

export interface BatchWriterOptions<Item> extends Omit<BatcherOptions<Item>, 'retry' | 'faultOf'> {
  /** A write of one statement needs no transaction around it. */
  isOneStatement?: boolean
  /** How long a batch waits for a lock: one that waited longer fails, so that the next has its turn. */
  lockMs?: number
}

/**
 * Merges what many callers want written: a transaction for each of them costs several times as much.
 *
 * `write` answers for each item and must be idempotent: after a deadlock, a lost connection or a
 * COMMIT whose answer never came, the same batch is run again. A value that the database refuses
 * fails its own item only, and so does a workspace that is being moved.
 */
export function createBatchWriter<Item extends { workspace_id: string }, Result>(
  ctx: ProcessContext,
  name: string,
  write: (tx: ProcessContext, items: Item[]) => Promise<Result[]>,
  { isOneStatement, lockMs, ...options }: BatchWriterOptions<Item>,
): Batcher<Item, Result> {
  const writeSoon = async (tx: ProcessContext, items: Item[]) => {
    await sql`set local lock_timeout = ${sql.lit(lockMs)}`.execute(tx.db)
    return write(tx, items)
  }
  const inTransaction = lockMs ? writeSoon : write
  const run = (items: Item[]) =>
    isOneStatement ? write(ctx, items) : transaction(ctx, (tx) => inTransaction(tx, items))
  const ofMoving = ofMovingWorkspace<Item>(({ workspace_id }) => workspace_id)
  return new Batcher(ctx, name, run, {
    ...options,
    retry: { isRefused },
    faultOf: (error) => (lockMs && isLockTimeout(error) ? () => true : ofMoving(error)),
  })
}

/**
 * What is about the data, violated constraints (23), a value that cannot be read, and mistakes of ours
 * (42): no repetition makes them right.
 */
export function isRefused(error: unknown): boolean {
  if (isAboutData(error)) return true
  const code = codeOf(error)
  if (/^[0-9A-Z]{5}$/.test(code)) return /^(23|42)/.test(code)
  return [TypeError, RangeError, SyntaxError].some((fault) => error instanceof fault)
}

/** Whose items they are that a batch failed at because their workspace is being moved. */
export const ofMovingWorkspace =
  <Item>(workspaceOf: (item: Item) => string) =>
  (error: unknown) => {
    const moving = movingOf(error)
    return moving === undefined
      ? undefined
      : (item: Item) => workspaceOf(item) === moving.workspaceId
  }
