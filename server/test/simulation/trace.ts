import { createHash } from 'node:crypto'

/** Everything that happened, in order: two runs of a seed are the same run when their traces are. */
export class Trace {
  readonly #hash = createHash('sha256')
  readonly #print: ((line: string, hidden: string) => void) | undefined

  constructor(print?: (line: string, hidden: string) => void) {
    this.#print = print
  }

  /** `hidden` counts as what happened and is too long to be printed. */
  add(atMs: number, who: string, what: string, hidden = '') {
    const line = `${atMs.toFixed(2).padStart(12)} ${who.padEnd(6)} ${what}`
    this.#hash.update(`${line} ${hidden}\n`)
    this.#print?.(line, hidden)
  }

  digest(): string {
    return this.#hash.digest('hex').slice(0, 16)
  }
}
