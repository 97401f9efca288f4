import type { Campaign } from '../../api/generated/types.gen.ts'
import { createListeners } from '../../lib/listeners.ts'
import type { DraftState } from './campaign-draft.ts'
import { isEqual } from './merge.ts'

interface Begun {
  /** The control that it is typed into. */
  owner: string
  /** What the control shows of a campaign. */
  read: (campaign: Campaign) => unknown
  /** Gives what was typed to the draft. */
  write: () => void
}

/**
 * What is typed and not in the draft yet. A campaign that runs acts at once upon what is saved, and half
 * of a wait or of a limit would send mails: such a value is given to the draft when somebody has left its
 * control. They write in one at a time, so that one is unfinished at most.
 */
export class Unfinished {
  #begun: Begun | undefined
  readonly #listeners = createListeners()

  subscribe = this.#listeners.subscribe

  isThere = () => this.#begun !== undefined

  begin(begun: Begun) {
    if (this.#begun?.owner !== begun.owner) this.finish()
    this.#begun = begun
    this.#listeners.tell()
  }

  /** Whatever ends the writing: leaving the control, the page, or a button that saves. */
  finish = () => {
    const begun = this.#begun
    if (!begun) return
    this.#begun = undefined
    begun.write()
    this.#listeners.tell()
  }

  finishOf(owner: string) {
    if (this.#begun?.owner === owner) this.finish()
  }

  /** Somebody else has changed the very same: once theirs is taken over nobody could choose any more. */
  finishBefore(theirs: Campaign, { base, campaign }: DraftState) {
    const isNewer = Date.parse(theirs.timestamp_updated) > Date.parse(base.timestamp_updated)
    if (!this.#begun || !isNewer) return
    const { read } = this.#begun
    const isTheirs = [base, campaign].every((known) => !isEqual(read(known), read(theirs)))
    if (isTheirs) this.finish()
  }
}
