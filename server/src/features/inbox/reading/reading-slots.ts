import type { AnyContext } from '../../../kernel/context.ts'
import { FairQueue } from '../../../kernel/runner/fair-queue.ts'
import { type Slot, type SlotPool, Slots } from '../../../kernel/runner/slots.ts'

/**
 * Mailboxes that are read at once: each may hold a few MB, all the others only listen. A server may take
 * a minute for each answer, so a reading that takes longer than most counts as slow.
 */
const limits = {
  max: { proven: 16, trial: 8, failing: 16 },
  slowAfterMs: 5_000,
  slowMax: 32,
  workspaceShare: 0.75,
}
const pools = ['proven', 'trial', 'failing'] as const

interface Waiting {
  workspaceId: string
  start: (slot: Slot) => void
}

/**
 * Gives turns to read, by workspace and then by mailbox, from pools: proven are mailboxes whose last
 * reading was quick, failing those whose was slow or broke, on trial those that were not read yet. Servers
 * that hang never keep those waiting that answer.
 */
export class ReadingSlots {
  readonly #ctx: AnyContext
  readonly #slots: Slots
  readonly #waiting: Record<SlotPool, FairQueue<Waiting>> = {
    proven: new FairQueue(),
    trial: new FairQueue(),
    failing: new FairQueue(),
  }
  readonly #poolOf = new Map<string, Exclude<SlotPool, 'trial'>>()

  constructor(ctx: AnyContext) {
    this.#ctx = ctx
    this.#slots = new Slots(ctx, limits)
  }

  /** Once there is room for this mailbox. */
  async run<T>(workspaceId: string, mailboxId: string, read: () => Promise<T>): Promise<T> {
    const slot = await new Promise<Slot>((start) => {
      this.#waiting[this.#poolOf.get(mailboxId) ?? 'trial'].add(workspaceId, { workspaceId, start })
      this.#pump()
    })
    const startedMs = this.#ctx.monotonicMs()
    let pool: Exclude<SlotPool, 'trial'> = 'failing'
    try {
      const result = await read()
      if (this.#ctx.monotonicMs() - startedMs < limits.slowAfterMs) pool = 'proven'
      return result
    } finally {
      this.#poolOf.set(mailboxId, pool)
      this.#slots.free(slot)
      this.#pump()
    }
  }

  /** Called for a mailbox that is read here no more. */
  forget(mailboxId: string) {
    this.#poolOf.delete(mailboxId)
  }

  /** Called every second. */
  review() {
    this.#slots.review()
    this.#pump()
  }

  #pump() {
    for (const pool of pools) {
      while (this.#slots.hasFree(pool)) {
        const next = this.#waiting[pool].take((id) => this.#slots.hasShare(pool, id))
        if (!next) break
        next.start(this.#slots.take(pool, next.workspaceId))
      }
    }
  }
}
