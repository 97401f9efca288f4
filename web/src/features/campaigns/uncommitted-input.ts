import type { Campaign } from '../../api/generated/types.gen.ts'
import { createListeners } from '../../lib/listeners.ts'
import type { DraftState } from './campaign-draft.ts'
import { isEqual } from './merge.ts'

interface PendingInput {
  /** The control that it is typed into. */
  owner: string
  /** What the control shows of a campaign. */
  read: (campaign: Campaign) => unknown
  /** Gives what was typed to the draft. */
  write: () => void
}

/**
 * Holds the value that somebody is typing until they leave its control. A running campaign acts at once
 * on what is saved, and half of a wait or of a limit would send mails. There is one such value at most:
 * whoever writes in another control has left this one.
 */
export class UncommittedInput {
  #pending: PendingInput | undefined
  readonly #listeners = createListeners()

  subscribe = this.#listeners.subscribe

  isPending = () => this.#pending !== undefined

  start(input: PendingInput) {
    if (this.#pending?.owner !== input.owner) this.commit()
    this.#pending = input
    this.#listeners.tell()
  }

  /** Whatever ends the writing: leaving the control, the page, or a button that saves. */
  commit = () => {
    const input = this.#pending
    if (!input) return
    this.#pending = undefined
    input.write()
    this.#listeners.tell()
  }

  commitOf(owner: string) {
    if (this.#pending?.owner === owner) this.commit()
  }

  /**
   * Before a newer record is taken over in which somebody else has changed the same value: only what is
   * in the draft by then is a conflict, which a person decides.
   */
  commitBefore(theirs: Campaign, { base, campaign }: DraftState) {
    const isNewer = Date.parse(theirs.timestamp_updated) > Date.parse(base.timestamp_updated)
    if (!this.#pending || !isNewer) return
    const { read } = this.#pending
    const isTheirs = [base, campaign].every((known) => !isEqual(read(known), read(theirs)))
    if (isTheirs) this.commit()
  }
}
