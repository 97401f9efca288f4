/** So many at a time do what costs memory; the others wait for their turn. */
export class Turns {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(max: number) {
    this.#free = max
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free += 1
    }
  }
}
