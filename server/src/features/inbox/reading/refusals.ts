import { failuresMax } from './reading-trouble.ts'

/**
 * Readings in a row, over ten minutes, after which the headers of a mail have to do: a server whose store is
 * away for a moment refuses in the same words as one that has a damaged mail, and what is taken in without
 * its text stays so. One reading later the mailbox would be in trouble.
 */
const refusalsMax = failuresMax - 1

/** The mails of one mailbox that its server does not hand out, since it was last read whole. */
export class Refusals {
  #times = new Map<string, number>()
  #hasTakenHeaders = false

  /**
   * Counts one more refusal of a mail.
   *
   * @returns whether its headers have to do by now: a server that has kept one mail for so long has others
   *   that it cannot hand out, and of these a second refusal is enough
   */
  takesHeaders(mail: string): boolean {
    const times = (this.#times.get(mail) ?? 0) + 1
    this.#times.set(mail, times)
    const isKnown = Math.max(...this.#times.values()) > refusalsMax
    if (times === 1 || !isKnown) return false
    this.#hasTakenHeaders = true
    return true
  }

  /** Whether a mail was done with since this was last asked: what is refused then is another trouble. */
  hasGoneOn(): boolean {
    const hasTaken = this.#hasTakenHeaders
    this.#hasTakenHeaders = false
    return hasTaken
  }

  forget() {
    this.#times.clear()
  }
}
