/** How many fall due when, first come first. */
export class DueHistogram {
  #due: number[] = []
  #counts: number[] = []
  #first = 0

  dueMs = (): number => this.#due[this.#first] ?? Number.POSITIVE_INFINITY

  add(dueMs: number, count: number) {
    let at = this.#due.length
    while (at > this.#first && (this.#due[at - 1] as number) > dueMs) at--
    if (at > this.#first && this.#due[at - 1] === dueMs) {
      this.#counts[at - 1] = (this.#counts[at - 1] as number) + count
    } else if (at === this.#due.length) {
      this.#due.push(dueMs)
      this.#counts.push(count)
    } else {
      this.#due.splice(at, 0, dueMs)
      this.#counts.splice(at, 0, count)
    }
  }

  /** One of the first. */
  take() {
    const left = (this.#counts[this.#first] as number) - 1
    this.#counts[this.#first] = left
    if (left === 0) this.#shift()
  }

  /** All of the first. @returns how many */
  drop(): number {
    const count = this.#counts[this.#first] as number
    this.#shift()
    return count
  }

  total = (): number => this.#counts.slice(this.#first).reduce((sum, count) => sum + count, 0)

  #shift() {
    this.#first++
    if (this.#first < 1024 || this.#first * 2 < this.#due.length) return
    this.#due = this.#due.slice(this.#first)
    this.#counts = this.#counts.slice(this.#first)
    this.#first = 0
  }
}
