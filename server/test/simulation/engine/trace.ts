import { createHash } from 'node:crypto'
import type { Scheduler } from './scheduler.ts'

/** `more` counts as what happened and is too long to be read. */
export type Print = (line: string, more: string) => void

/** Everything that happened, in order: two runs of a seed are the same run when their traces are. */
export class Trace {
  readonly #scheduler: Scheduler
  readonly #hash = createHash('sha256')
  readonly #print: Print | undefined

  constructor(scheduler: Scheduler, print: Print | undefined) {
    this.#scheduler = scheduler
    this.#print = print
  }

  add(who: string, what: string, more = '') {
    const { steps, nowMs } = this.#scheduler
    const line = `${String(steps).padStart(6)} ${nowMs.toFixed(2).padStart(12)} ${who.padEnd(6)} ${what}`
    this.#hash.update(`${line} ${more}\n`)
    this.#print?.(line, more)
  }

  digest(): string {
    return this.#hash.digest('hex').slice(0, 16)
  }
}
