import { Batcher, type BatcherOptions } from '../batcher.ts'
import type { ProcessContext } from '../context.ts'
import { transaction } from './transaction.ts'

export interface BatchWriterOptions<Item> extends Omit<BatcherOptions<Item>, 'retry'> {
  /** A write of one statement needs no transaction around it. */
  isOneStatement?: boolean
}

/**
 * Merges what many callers want written: a transaction for each of them costs several times as much.
 *
 * `write` answers for each item and must be idempotent: after a deadlock, a lost connection or a
 * COMMIT whose answer never came, the same batch is run again. A value that the database refuses
 * fails its own item only.
 */
export function createBatchWriter<Item, Result>(
  ctx: ProcessContext,
  name: string,
  write: (tx: ProcessContext, items: Item[]) => Promise<Result[]>,
  { isOneStatement, ...options }: BatchWriterOptions<Item>,
): Batcher<Item, Result> {
  const run = (items: Item[]) =>
    isOneStatement ? write(ctx, items) : transaction(ctx, (tx) => write(tx, items))
  return new Batcher(ctx, name, run, { ...options, retry: { isRefused } })
}

/** Data exceptions, violated constraints, and mistakes of ours: no repetition makes them right. */
export function isRefused(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return /^(22|23|42)/.test(code)
  return error instanceof TypeError || error instanceof RangeError
}
