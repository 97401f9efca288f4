import type { AnyContext } from '../../../kernel/context.ts'
import { FairQueue } from '../../../kernel/runner/fair-queue.ts'

/** One IMAP connection that may be open, for as long as it is held. */
export interface ImapConnectionSlot extends Disposable {
  /** Aborted when its turn is over: what is read is finished, and then the slot given back. */
  isOver: AbortSignal
}

export interface ImapConnectionSlotsOptions {
  /** Connections at once. */
  max: number
  /** New connections: after a start thousands of mailboxes would log in within the same moment. */
  perSecond?: number
}

interface Held {
  sinceMs: number
  over: AbortController
}

/**
 * While there are fewer slots than mailboxes, each is read once in so long: well within the time
 * after which a reading no longer lets follow-ups go out.
 */
const cycleMs = 8 * 60_000

/**
 * The IMAP connections of a process: opened one after another at a bounded rate, in turn by
 * workspace, and never more than a maximum. Beyond that mailboxes take turns: who has held a slot
 * for longest gives it up, and waits for the next one behind all others.
 */
export class ImapConnectionSlots {
  readonly #ctx: AnyContext
  readonly #max: number
  readonly #pauseMs: number
  readonly #held = new Set<Held>()
  readonly #waiting = new FairQueue<() => void>()
  #isHandingOut = false
  #wereShort = false

  constructor(ctx: AnyContext, { max, perSecond = 50 }: ImapConnectionSlotsOptions) {
    this.#ctx = ctx
    this.#max = max
    this.#pauseMs = 1000 / perSecond
  }

  get open(): number {
    return this.#held.size
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** @returns nothing when it was given up before its turn came */
  take(workspaceId: string, signal: AbortSignal): Promise<ImapConnectionSlot | null> {
    if (signal.aborted) return Promise.resolve(null)
    return new Promise((resolve) => {
      const giveUp = () => {
        this.#waiting.delete(workspaceId, enter)
        resolve(null)
      }
      const enter = () => {
        signal.removeEventListener('abort', giveUp)
        resolve(this.#takeSlot())
      }
      signal.addEventListener('abort', giveUp, { once: true })
      this.#waiting.add(workspaceId, enter)
      void this.#handOut()
    })
  }

  /** Called every second: ends the turns of those who have held their slots for longest. */
  review() {
    const { size } = this.#waiting
    const isShort = size > 0 && this.#held.size >= this.#max
    if (isShort && !this.#wereShort) {
      this.#ctx.log.warn(
        { waiting: size, connections: this.#max },
        'mailboxes are read in turns: there are more than IMAP_CONNECTIONS',
      )
    }
    this.#wereShort = isShort
    if (!isShort) return
    const turnMs = (cycleMs * this.#max) / (this.#max + size)
    const heldBefore = this.#ctx.monotonicMs() - turnMs
    for (const { over } of [...this.#held]
      .filter(({ sinceMs }) => sinceMs <= heldBefore)
      .slice(0, size)) {
      over.abort()
    }
  }

  #takeSlot(): ImapConnectionSlot {
    const held = { sinceMs: this.#ctx.monotonicMs(), over: new AbortController() }
    this.#held.add(held)
    return {
      isOver: held.over.signal,
      [Symbol.dispose]: () => {
        this.#held.delete(held)
        void this.#handOut()
      },
    }
  }

  async #handOut() {
    if (this.#isHandingOut) return
    this.#isHandingOut = true
    while (this.#held.size < this.#max) {
      const enter = this.#waiting.take()
      if (!enter) break
      enter()
      await this.#ctx.sleep(this.#pauseMs)
    }
    this.#isHandingOut = false
  }
}
