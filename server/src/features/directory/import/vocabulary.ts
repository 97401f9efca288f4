import { ByteTable, type Term, wordOf } from '../terms/index.ts'

/** The words of an import, for misspelt ones to be compared with. */
export class Vocabulary {
  readonly #seen = new ByteTable()
  /** Of those seen. */
  #told = 0
  #unsaid: string[] = []

  note(terms: Term[]) {
    for (const term of terms) {
      if (this.#seen.numberOfText(term, 'latin1') < this.#told) continue
      this.#told++
      const word = wordOf(term)
      if (word !== undefined) this.#unsaid.push(word)
    }
  }

  /** Those that it has not told before, in order. */
  take(): string[] {
    // A word may be one of a name and of a title.
    const words = [...new Set(this.#unsaid)].sort()
    this.#unsaid = []
    // What is told again is known to the database.
    if (this.#told > termsMax) {
      this.#seen.clear()
      this.#told = 0
    }
    return words
  }
}

const termsMax = 200_000
