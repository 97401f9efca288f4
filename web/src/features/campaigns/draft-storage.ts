import type { Campaign } from '../../api/generated/types.gen.ts'
import { randomKey } from '../../lib/idempotency-key.ts'
import type { Edits } from './edits.ts'

/** None of it throws, also where the browser's storage is full or shut: the server gets it all the same. */
export interface BrowserStorage {
  names: () => string[]
  read: (name: string) => string | null
  /** @param text undefined removes it */
  write: (name: string, text: string | undefined) => unknown
}

interface StoredDraft {
  base: Campaign
  edits: Edits
  /** Until then no other tab takes it over, for it would save what can be undone here. */
  heldUntilMs?: number | undefined
}

/**
 * The drafts of a campaign that the browser keeps. Each has an entry of its own: another tab with the
 * same campaign overwrites and removes nothing of it.
 */
export class DraftStorage {
  readonly #storage: BrowserStorage | undefined
  readonly #name: string
  #isKept = false
  /** The entries of others from before this draft was opened that it has not taken over yet. */
  readonly #left: string[]

  constructor(storage: BrowserStorage | undefined, userId: string, campaignId: string) {
    this.#storage = storage
    const prefix = `outrider-campaign ${userId} ${campaignId}`
    this.#name = `${prefix} ${randomKey()}`
    this.#left = (storage?.names() ?? []).filter((name) => name.startsWith(prefix))
  }

  /** @param draft undefined removes it */
  write(draft: StoredDraft | undefined) {
    const text = draft && JSON.stringify(draft)
    this.#storage?.write(this.#name, text)
    this.#isKept = text !== undefined && this.#storage?.read(this.#name) === text
  }

  /** Whether a draft that was opened later has taken over all of it. */
  isTaken = () => this.#isKept && this.#storage?.read(this.#name) === null

  /** Takes out what another tab has left; what can be undone there yet stays. */
  takeLeft(): StoredDraft | undefined {
    for (const name of [...this.#left]) {
      const stored = this.#read(name)
      if (stored?.heldUntilMs !== undefined && Date.now() < stored.heldUntilMs) continue
      this.#left.splice(this.#left.indexOf(name), 1)
      if (!stored) continue
      this.#storage?.write(name, undefined)
      return stored
    }
    return undefined
  }

  #read(name: string): StoredDraft | undefined {
    const text = this.#storage?.read(name)
    try {
      return text ? JSON.parse(text) : undefined
    } catch {
      return undefined
    }
  }
}
