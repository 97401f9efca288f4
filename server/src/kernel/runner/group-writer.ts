import type { Context } from '../context.ts'
import { transaction } from '../db/transaction.ts'
import { describeError } from '../log.ts'

export interface GroupOptions<Item = unknown> {
  /** Items in one transaction. */
  batchMax: number
  /** Bytes in one transaction, unless a single item has more. */
  bytes?: { of: (item: Item) => number; batchMax: number }
  /** What arrives within it shares a transaction. */
  gatherMs: number
  /** In full flow a batch below this size waits for its kind: each transaction costs both sides. */
  flow?: { batchMin: number; gatherMs: number }
  /** Transactions at once, each of which locks what it touches in the same order; one if not said. */
  writersMax?: number
  /** A write of one statement needs no transaction around it. */
  isOneStatement?: boolean
}

/** So many that come in while one batch is written are a flow. */
const flowMin = 20

interface Waiting<Item, Result> {
  item: Item
  bytes: number
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/**
 * Merges what many lanes want written: a transaction for each of them costs several times as much.
 *
 * `write` answers for each item and must be idempotent: after a deadlock, a lost connection or a
 * COMMIT whose answer never came, the same batch is simply run again. A value that the database
 * refuses fails its own item only.
 */
export class GroupWriter<Item, Result> {
  readonly #ctx: Context
  readonly #name: string
  readonly #write: (tx: Context, items: Item[]) => Promise<Result[]>
  readonly #options: GroupOptions<Item>
  #waiting: Waiting<Item, Result>[] = []
  #pendingBytes = 0
  #isGathering = false
  readonly #writing = new Set<Promise<void>>()
  #writers = 0

  constructor(
    ctx: Context,
    name: string,
    write: (tx: Context, items: Item[]) => Promise<Result[]>,
    options: GroupOptions<Item>,
  ) {
    this.#ctx = ctx
    this.#name = name
    this.#write = write
    this.#options = options
  }

  /** Resolves once it is committed. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const bytes = this.#options.bytes?.of(item) ?? 0
      this.#waiting.push({ item, bytes, resolve, reject })
      this.#pendingBytes += bytes
      if (this.#writers < (this.#options.writersMax ?? 1) && !this.#isGathering) this.#start()
    })
  }

  get pending(): number {
    return this.#waiting.length
  }

  get pendingBytes(): number {
    return this.#pendingBytes
  }

  /** Resolves when everything given so far is written. */
  async flush() {
    while (this.#writing.size > 0) await Promise.all(this.#writing)
  }

  #start() {
    this.#writers += 1
    const writing = this.#drain().finally(() => this.#writing.delete(writing))
    this.#writing.add(writing)
  }

  async #drain() {
    const { gatherMs } = this.#options
    this.#isGathering = true
    await this.#ctx.sleep(gatherMs)
    this.#isGathering = false
    while (this.#waiting.length > 0) {
      await this.#settle(this.#takeBatch())
      await this.#gatherInFlow()
    }
    this.#writers -= 1
  }

  #takeBatch(): Waiting<Item, Result>[] {
    const { batchMax, bytes } = this.#options
    let taken = 0
    let size = 0
    for (const next of this.#waiting) {
      if (taken === batchMax || (taken > 0 && bytes && size + next.bytes > bytes.batchMax)) break
      taken += 1
      size += next.bytes
    }
    this.#pendingBytes -= size
    return this.#waiting.splice(0, taken)
  }

  async #gatherInFlow() {
    const { flow } = this.#options
    const { length } = this.#waiting
    if (flow && length >= flowMin && length < flow.batchMin) await this.#ctx.sleep(flow.gatherMs)
  }

  async #settle(batch: Waiting<Item, Result>[]): Promise<void> {
    for (let failures = 0; ; failures++) {
      try {
        const items = batch.map(({ item }) => item)
        const results = await this.#writeAll(items)
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
        return
      } catch (error) {
        if (isRefused(error)) return this.#settleApart(batch, error)
        this.#ctx.log.warn(
          { writer: this.#name, items: batch.length, failures, ...describeError(error) },
          'a batch was not written and is tried again',
        )
        await this.#ctx.sleep(Math.min(5_000, 20 * 2 ** failures))
      }
    }
  }

  #writeAll(items: Item[]): Promise<Result[]> {
    if (this.#options.isOneStatement) return this.#write(this.#ctx, items)
    return transaction(this.#ctx, (tx) => this.#write(tx, items))
  }

  /** One of them is at fault: halves find it. */
  async #settleApart(batch: Waiting<Item, Result>[], error: unknown) {
    if (batch.length === 1) {
      this.#ctx.log.error({ writer: this.#name, ...describeError(error) }, 'an item was refused')
      batch[0]?.reject(error)
      return
    }
    const half = batch.length >> 1
    await this.#settle(batch.slice(0, half))
    await this.#settle(batch.slice(half))
  }
}

/** Data exceptions, violated constraints, and mistakes of ours: no repetition makes them right. */
export function isRefused(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return /^(22|23|42)/.test(code)
  return error instanceof TypeError || error instanceof RangeError
}
