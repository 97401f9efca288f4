import type { Context } from '../../kernel/context.ts'
import type { Lane } from './lane.ts'
import { type Move, planLanes } from './plan-lanes.ts'
import { takeOver } from './take-over.ts'
import type { Writers } from './writers.ts'

interface Waiting {
  lane: Lane
  resolve: (move: Move) => void
  reject: (error: unknown) => void
}

const gatherMs = 1
const lanesMax = 256

/** Lanes that want to know what to do next, planned in rounds: one at a time, all that wait for it. */
export class Rounds {
  readonly #ctx: Context
  readonly #writers: Writers
  #waiting: Waiting[] = []
  #planning: Promise<void> | undefined

  constructor(ctx: Context, writers: Writers) {
    this.#ctx = ctx
    this.#writers = writers
  }

  plan(lane: Lane): Promise<Move> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ lane, resolve, reject })
      this.#planning ??= this.#plan()
    })
  }

  async #plan() {
    await this.#ctx.sleep(gatherMs)
    while (this.#waiting.length > 0) await this.#round(this.#waiting.splice(0, lanesMax))
    this.#planning = undefined
  }

  /** What broke off on the way is offered again: else nobody writes to these leads any more. */
  async #takeOver(lanes: Lane[]) {
    const { settlements, pool } = this.#writers
    for (const leadId of await takeOver(this.#ctx, lanes, settlements)) pool.release(leadId)
  }

  async #round(waiting: Waiting[]) {
    const lanes = waiting.map(({ lane }) => lane)
    try {
      const foreign = lanes.filter(({ isAdopted }) => !isAdopted)
      if (foreign.length > 0) await this.#takeOver(foreign)
      // Held: they stay awake in the database, and are found there when it is over.
      const { watch } = this.#writers
      const moves = watch.isHeld ? null : await planLanes(this.#ctx, lanes, this.#writers)
      for (const { lane, resolve } of waiting) {
        resolve(moves ? (moves.get(lane) ?? { kind: 'again' }) : { kind: 'left' })
      }
    } catch (error) {
      for (const { reject } of waiting) reject(error)
    }
  }
}
