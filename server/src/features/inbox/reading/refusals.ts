import type { Context } from '../../../kernel/context.ts'
import type { InboxMailbox } from '../inbox-mailbox.ts'
import { failuresMax } from './reading-trouble.ts'

/**
 * Readings in a row, over ten minutes, after which the headers of a mail have to do: a server whose store is
 * away for a moment refuses in the same words as one that has a damaged mail, and what is taken in without
 * its text stays so. One reading later the mailbox would be in trouble.
 */
const refusalsMax = failuresMax - 1

interface Refused {
  times: number
  /** Of these, when another mail was last handed out. */
  timesAlone: number
}

/** The mails of one mailbox that its server does not hand out, since it was last read whole. */
export class Refusals {
  #mails = new Map<string, Refused>()
  #hasGoneOn = false

  /**
   * Counts one more refusal of a mail.
   *
   * @returns whether its headers have to do by now: a server that has kept one mail for so long has others
   *   that it cannot hand out, and of these a second refusal is enough
   */
  takesHeaders(mail: string): boolean {
    const refused = this.#mails.get(mail) ?? { times: 0, timesAlone: 0 }
    this.#mails.set(mail, { ...refused, times: refused.times + 1 })
    this.#hasGoneOn ||= this.#isKnown(mail)
    return this.#isKnown(mail)
  }

  /** A mail was handed out, if only its headers: what is refused besides is refused for its own sake. */
  handedOut() {
    for (const refused of this.#mails.values()) refused.timesAlone = refused.times
  }

  /**
   * Asked of a mail whose headers had to do, and are refused.
   *
   * @returns whether the others go on without it: not while a server hands out none at all, for that may pass
   */
  passesOver(mail: string): boolean {
    const { times = 0, timesAlone = 0 } = this.#mails.get(mail) ?? {}
    this.#hasGoneOn = this.#isKnown(mail) && timesAlone >= times - 1
    return this.#hasGoneOn
  }

  #isKnown(mail: string): boolean {
    const timesMax = Math.max(...this.#mails.values().map(({ times }) => times))
    return timesMax > refusalsMax && (this.#mails.get(mail)?.times ?? 0) > 1
  }

  /** Whether a mail was done with since this was last asked: what is refused then is another trouble. */
  hasGoneOn(): boolean {
    const hasGoneOn = this.#hasGoneOn
    this.#hasGoneOn = false
    return hasGoneOn
  }

  forget() {
    this.#mails.clear()
  }
}

/** Whoever wrote it may have answered, and nobody here sees it: it lies in the mailbox. */
export const warnOfWithheld = ({ log }: Context, { id }: InboxMailbox, uid: number) =>
  log.warn({ mailbox: id, uid }, 'a mail whose headers its server refuses is left out')
