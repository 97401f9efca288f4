/** The numbers of terms, a list for each of many rows. */
export class TermLists {
  numbers = new Uint32Array(1 << 20)
  #length = 0
  #ends: number[] = []

  /** Forgets the lists, and keeps the memory. */
  clear() {
    this.#length = 0
    this.#ends = []
  }

  /** Adds to the list that is being made. */
  push(numbers: number[]) {
    if (this.#length + numbers.length > this.numbers.length) this.#grow(numbers.length)
    const target = this.numbers
    let at = this.#length
    for (let i = 0; i < numbers.length; i++) target[at++] = numbers[i] as number
    this.#length = at
  }

  /** What was added since the last list is one. */
  end() {
    this.#ends.push(this.#length)
  }

  /** Where in `numbers` a list begins, and the one before it ends. */
  startOf = (index: number): number => this.#ends[index - 1] ?? 0
  endOf = (index: number): number => this.#ends[index] as number

  #grow(by: number) {
    const grown = new Uint32Array(2 * this.numbers.length + by)
    grown.set(this.numbers)
    this.numbers = grown
  }
}
