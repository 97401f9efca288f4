/** How many fall due when, first come first. */
export class DueHistogram {
  #due: number[] = []
  #counts: number[] = []
  /** How many of each count were there from the start. */
  #initial: number[] = []
  #first = 0

  dueMs = (): number => this.#due[this.#first] ?? Number.POSITIVE_INFINITY

  /** @param initial how many of them were there from the start */
  add(dueMs: number, count: number, initial = 0) {
    let at = this.#due.length
    while (at > this.#first && (this.#due[at - 1] as number) > dueMs) at--
    if (at > this.#first && this.#due[at - 1] === dueMs) {
      this.#counts[at - 1] = (this.#counts[at - 1] as number) + count
      this.#initial[at - 1] = (this.#initial[at - 1] as number) + initial
    } else if (at === this.#due.length) {
      this.#due.push(dueMs)
      this.#counts.push(count)
      this.#initial.push(initial)
    } else {
      this.#due.splice(at, 0, dueMs)
      this.#counts.splice(at, 0, count)
      this.#initial.splice(at, 0, initial)
    }
  }

  /** One of the first. @returns whether it was there from the start, as those are that are taken first */
  take(): boolean {
    const initial = this.#initial[this.#first] as number
    if (initial > 0) this.#initial[this.#first] = initial - 1
    const left = (this.#counts[this.#first] as number) - 1
    this.#counts[this.#first] = left
    if (left === 0) this.#shift()
    return initial > 0
  }

  /** All of the first. @returns how many */
  drop(): number {
    const count = this.#counts[this.#first] as number
    this.#shift()
    return count
  }

  total = (): number => this.#counts.slice(this.#first).reduce((sum, count) => sum + count, 0)

  /** Of those that were there from the start. */
  initialLeft = (): number =>
    this.#initial.slice(this.#first).reduce((sum, count) => sum + count, 0)

  #shift() {
    this.#first++
    if (this.#first < 1024 || this.#first * 2 < this.#due.length) return
    this.#due = this.#due.slice(this.#first)
    this.#counts = this.#counts.slice(this.#first)
    this.#initial = this.#initial.slice(this.#first)
    this.#first = 0
  }
}
