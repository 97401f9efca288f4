import { type Term, wordOf } from '../term-index/index.ts'

/** The words of an import, for misspelt ones to be compared with. */
export class Vocabulary {
  readonly #seen = new Set<string>()
  #unsaid: string[] = []

  note(terms: Term[]) {
    for (const term of terms) {
      const word = wordOf(term)
      if (word === undefined || this.#seen.has(word)) continue
      this.#seen.add(word)
      this.#unsaid.push(word)
    }
  }

  /** Those that it has not told before, in order. */
  take(): string[] {
    const words = this.#unsaid.sort()
    this.#unsaid = []
    // What is told again is known to the database.
    if (this.#seen.size > wordsMax) this.#seen.clear()
    return words
  }
}

const wordsMax = 200_000
