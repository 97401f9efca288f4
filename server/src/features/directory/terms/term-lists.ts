/** The numbers of terms, a list for each of many rows, in memory that another thread may read. */
export class TermLists {
  numbers: Uint32Array
  /** Where each list ends in `numbers`; it begins where the one before it ends. */
  ends = sharedNumbers(1 << 10)
  length = 0
  #filled = 0

  /** @param numbers how many there may be before more memory is taken */
  constructor(numbers = 1 << 16) {
    this.numbers = sharedNumbers(numbers)
  }

  /** Forgets the lists, and keeps the memory. */
  clear() {
    this.length = 0
    this.#filled = 0
  }

  /** Adds to the list that is being made. */
  push(numbers: number[]) {
    const end = this.#filled + numbers.length
    if (end > this.numbers.length) this.numbers = grown(this.numbers, end)
    const target = this.numbers
    let at = this.#filled
    for (let i = 0; i < numbers.length; i++) target[at++] = numbers[i] as number
    this.#filled = at
  }

  add(number: number) {
    if (this.#filled === this.numbers.length) this.numbers = grown(this.numbers, this.#filled)
    this.numbers[this.#filled++] = number
  }

  /** What was added since the last list is one. */
  end() {
    if (this.length === this.ends.length) this.ends = grown(this.ends, this.length + 1)
    this.ends[this.length++] = this.#filled
  }
}

const sharedNumbers = (length: number) => new Uint32Array(new SharedArrayBuffer(4 * length))

function grown(numbers: Uint32Array, least: number): Uint32Array<SharedArrayBuffer> {
  const larger = sharedNumbers(2 * least)
  larger.set(numbers)
  return larger
}
