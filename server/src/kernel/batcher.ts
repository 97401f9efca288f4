import type { AnyContext } from './context.ts'
import { describeError } from './log.ts'
import { nextTurn } from './next-turn.ts'

export interface BatcherOptions<Item> {
  itemsMax: number
  /** Bytes in one batch, unless a single item has more. */
  bytes?: { of: (item: Item) => number; max: number }
  /**
   * How long a first item waits for others: milliseconds, the rest of this turn of the event loop
   * (requests that are parsed together), or until the running code yields.
   */
  gather: number | 'turn' | 'microtask'
  /** In full flow a batch below this size waits for more: each batch costs both sides. */
  flow?: { itemsMin: number; gatherMs: number }
  /** Batches at once; 1 if not said. */
  concurrency?: number
  /**
   * A batch holds items of one key, and each key has one batch at a time: its items are done in the
   * order in which they came. Keys take turns.
   */
  keyOf?: (item: Item) => string
  /**
   * Runs a failed batch again until it succeeds, so `run` has to be idempotent. A batch that is refused
   * is halved until the item at fault is found, which alone fails. Without it, all of a batch fail.
   */
  retry?: { isRefused: (error: unknown) => boolean }
  /** Tells which items made a batch fail, if it is known: they alone fail, and the others run again. */
  faultOf?: (error: unknown) => ((item: Item) => boolean) | undefined
}

/** So many that come in while one batch runs are a flow. */
const flowMin = 20

interface Waiting<Item, Result> {
  item: Item
  bytes: number
  promise: Promise<Result>
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/**
 * Does together what is asked for at the same time: while a batch runs, what arrives forms the next
 * one. The busier the process, the more items share a statement. No item is answered by a batch that
 * began before it was added.
 */
export class Batcher<Item, Result> {
  readonly #ctx: AnyContext
  readonly #name: string
  readonly #run: (items: Item[]) => Promise<Result[]>
  readonly #options: BatcherOptions<Item>
  /** Items that wait, by key; the key whose turn is next comes first. */
  readonly #queues = new Map<string, Waiting<Item, Result>[]>()
  readonly #busyKeys = new Set<string>()
  readonly #running = new Set<Waiting<Item, Result>[]>()
  #isGathering = false
  #workers = 0
  #pending = 0

  /**
   * @param name for the log
   * @param run answers in the order of the items
   */
  constructor(
    ctx: AnyContext,
    name: string,
    run: (items: Item[]) => Promise<Result[]>,
    options: BatcherOptions<Item>,
  ) {
    this.#ctx = ctx
    this.#name = name
    this.#run = run
    this.#options = options
  }

  /** Resolves when the batch that holds the item is done. */
  add(item: Item): Promise<Result> {
    const key = this.#options.keyOf?.(item) ?? ''
    const bytes = this.#options.bytes?.of(item) ?? 0
    const waiting = { item, bytes, ...Promise.withResolvers<Result>() }
    const queue = this.#queues.get(key)
    if (queue) queue.push(waiting)
    else this.#queues.set(key, [waiting])
    this.#pending += 1
    if (!this.#isGathering && this.#hasFreeWorker) void this.#gatherThenWork()
    return waiting.promise
  }

  /** Items that are not in a running batch. */
  get pending(): number {
    return this.#pending
  }

  /** Resolves when everything added so far is answered, however much is added meanwhile. */
  async flush() {
    const added = [...this.#running, ...this.#queues.values()].flat()
    await Promise.allSettled(added.map(({ promise }) => promise))
  }

  get #hasFreeWorker(): boolean {
    return this.#workers < (this.#options.concurrency ?? 1)
  }

  async #gatherThenWork() {
    this.#isGathering = true
    await this.#gather()
    this.#isGathering = false
    while (this.#hasFreeWorker && this.#nextKey() !== undefined) void this.#work()
  }

  #gather(): Promise<void> | undefined {
    const { gather } = this.#options
    if (gather === 'microtask') return
    if (gather === 'turn') return nextTurn()
    return this.#ctx.sleep(gather)
  }

  async #work() {
    this.#workers += 1
    for (let key = this.#nextKey(); key !== undefined; key = this.#nextKey()) {
      if (this.#options.keyOf) this.#busyKeys.add(key)
      const batch = this.#takeBatch(key)
      this.#running.add(batch)
      await this.#settle(batch)
      this.#running.delete(batch)
      await this.#gatherInFlow(key)
      this.#busyKeys.delete(key)
    }
    this.#workers -= 1
  }

  #nextKey(): string | undefined {
    for (const key of this.#queues.keys()) if (!this.#busyKeys.has(key)) return key
  }

  #takeBatch(key: string): Waiting<Item, Result>[] {
    const { itemsMax, bytes } = this.#options
    const queue = this.#queues.get(key) ?? []
    let count = 0
    let size = 0
    for (const next of queue) {
      if (count === itemsMax || (count > 0 && bytes && size + next.bytes > bytes.max)) break
      count += 1
      size += next.bytes
    }
    const batch = queue.splice(0, count)
    this.#queues.delete(key)
    if (queue.length > 0) this.#queues.set(key, queue)
    this.#pending -= count
    return batch
  }

  async #gatherInFlow(key: string) {
    const { flow } = this.#options
    const length = this.#queues.get(key)?.length ?? 0
    if (flow && length >= flowMin && length < flow.itemsMin) await this.#ctx.sleep(flow.gatherMs)
  }

  async #settle(batch: Waiting<Item, Result>[]): Promise<void> {
    for (let failures = 0; ; failures++) {
      try {
        const results = await this.#run(batch.map(({ item }) => item))
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
        return
      } catch (error) {
        const { retry, faultOf } = this.#options
        const isAtFault = faultOf?.(error)
        if (isAtFault && batch.some(({ item }) => isAtFault(item))) {
          return this.#settleOthers(batch, isAtFault, error)
        }
        if (!retry) return this.#fail(batch, error)
        if (retry.isRefused(error)) return this.#settleHalves(batch, error)
        this.#ctx.troubles?.noteFailure(error)
        this.#ctx.log.warn(
          { batch: this.#name, items: batch.length, failures, ...describeError(error) },
          'a batch failed and is tried again',
        )
        await this.#ctx.sleep(Math.min(5_000, 20 * 2 ** failures))
      }
    }
  }

  async #settleOthers(
    batch: Waiting<Item, Result>[],
    isAtFault: (item: Item) => boolean,
    error: unknown,
  ) {
    const others = batch.filter(({ item }) => !isAtFault(item))
    const failing = batch.filter(({ item }) => isAtFault(item))
    this.#fail(failing, error)
    if (others.length > 0) await this.#settle(others)
  }

  async #settleHalves(batch: Waiting<Item, Result>[], error: unknown) {
    if (batch.length === 1) {
      this.#ctx.log.warn({ batch: this.#name, ...describeError(error) }, 'an item was refused')
      this.#fail(batch, error)
      return
    }
    const half = batch.length >> 1
    await this.#settle(batch.slice(0, half))
    await this.#settle(batch.slice(half))
  }

  #fail(batch: Waiting<Item, Result>[], error: unknown) {
    for (const { reject } of batch) reject(error)
  }
}
