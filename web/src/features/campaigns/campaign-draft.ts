import type { Fault } from '../../api/fault.ts'
import type { Campaign, CampaignChanges } from '../../api/generated/types.gen.ts'
import { createListeners } from '../../lib/listeners.ts'
import { type BrowserStorage, DraftStorage } from './draft-storage.ts'
import {
  differing,
  type Edits,
  givenIds,
  isEmpty,
  type Settings,
  toBody,
  withIds,
} from './edits.ts'
import { type Conflict, setAt } from './merge.ts'
import { type EditedCampaign, rebase } from './rebase.ts'
import { saveAccepted } from './save-accepted.ts'

export type Saving = 'saved' | 'unsaved' | 'saving' | 'refused' | 'conflict'

export interface DraftState {
  /** As it will be once all is saved. */
  campaign: Campaign
  /** As it is saved. */
  base: Campaign
  saving: Saving
  fault: Fault | undefined
  conflicts: Conflict[]
}

interface DraftOptions {
  /** @throws Fault */
  save: (changes: CampaignChanges, version: string) => Promise<Campaign>
  read: () => Promise<Campaign>
  onSaved: (campaign: Campaign) => void
  /** Who writes: on a shared computer nobody goes on with what another has typed. */
  userId: string
  /** None for somebody who may only look. */
  storage: BrowserStorage | undefined
}

const waitMs = 700

/**
 * What somebody types into a campaign, saved while they type. Nothing is lost when it cannot be saved:
 * it stays in the browser. When somebody else has saved meanwhile, the two are put together; where
 * both changed the same part, a person chooses.
 */
export class CampaignDraft {
  #base: Campaign
  #edits: Edits = {}
  /** As it was before a conflict: kept until a person has chosen, so that a reload asks again. */
  #unmerged: EditedCampaign | undefined
  /** What was sent and not answered: the server may have taken one of them. */
  readonly #unanswered = new Set<Edits>()
  #state: DraftState
  #timer: ReturnType<typeof setTimeout> | undefined
  /** The changes that can be undone yet. */
  readonly #held = new Map<object, (() => void) | undefined>()
  #heldUntilMs = 0
  #running: Promise<void> | undefined
  readonly #options: DraftOptions
  readonly #storage: DraftStorage
  readonly #listeners = createListeners()
  /** Steps and variants keep the key they were made with: their fields must not be made anew. */
  readonly #keys = new Map<string, string>()

  constructor(campaign: Campaign, options: DraftOptions) {
    this.#options = options
    this.#base = campaign
    this.#storage = new DraftStorage(options.storage, options.userId, campaign.id)
    this.#state = this.#stateAs('saved')
    this.#takeOver()
    if (this.#state.saving === 'unsaved') this.#saveLater()
  }

  subscribe = this.#listeners.subscribe

  state = () => this.#state

  keyOf = (id: string) => this.#keys.get(id) ?? id

  set = (changes: Edits) => {
    this.#edits = { ...this.#edits, ...changes }
    if (this.#unmerged) this.#unmerged.edits = { ...changes, ...this.#unmerged.edits }
    this.#keep()
    this.#tell(this.#state.saving === 'conflict' ? 'conflict' : 'unsaved')
    if (this.#state.saving !== 'conflict') this.#saveLater()
  }

  /**
   * Holds the last change back. Until it is released nothing is saved but by `flush`: a campaign that
   * runs acts at once upon what is saved, and somebody may undo the change yet.
   *
   * @param forMs how long another tab leaves it alone
   * @param withdraw takes away the offer to undo it
   * @returns releases it
   */
  hold = (forMs: number, withdraw?: () => void) => {
    const change = {}
    this.#held.set(change, withdraw)
    this.#heldUntilMs = Date.now() + forMs
    return () => {
      if (this.#held.delete(change) && this.#held.size === 0) this.releaseAll()
    }
  }

  /** Releases every change that is held, and saves them with what the server refused meanwhile. */
  releaseAll = () => {
    this.#held.clear()
    this.#keep()
    if (this.#isToBeSaved()) this.#saveLater()
  }

  /**
   * Takes a change back. Where somebody else's meets it, it is taken back from what is put together, so
   * that nobody has to choose about it any more.
   *
   * @param to what it changes of the campaign as this person has it, and of that as it is saved
   */
  undo = (to: (mine: Campaign, saved: Campaign) => Edits) => {
    if (!this.#unmerged) return this.set(to(this.#state.campaign, this.#base))
    const { base, edits } = this.#unmerged
    const theirs = this.#base
    this.#base = base
    this.#edits = { ...edits, ...to({ ...base, ...edits }, base) }
    this.#rebase(theirs)
    if (this.#state.saving === 'unsaved') this.#saveLater()
  }

  /**
   * Resolves once all that was typed until now is saved, or refused; what was refused is tried again.
   * What is held is released: whoever saves it has decided.
   */
  flush = async (): Promise<void> => {
    if (this.#held.size > 0) this.releaseAll()
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#running
    // Another call of the same moment may have begun to save it.
    await (this.#isToBeSaved() ? this.#start() : this.#running)
  }

  /** Before its author signs out, and may think better of it: what is saved then cannot be undone any more. */
  finish = async () => {
    const offers = [...this.#held.values()]
    await this.flush()
    // What could not be saved can still be undone.
    if (this.#state.saving === 'saved') for (const withdraw of offers) withdraw?.()
  }

  /** Once its page was left and opened again: it saves no more of what the draft there goes on with. */
  giveWay = () => {
    if (!this.#storage.isTaken()) return
    clearTimeout(this.#timer)
    this.#edits = {}
    this.#unmerged = undefined
    this.#tell('saved')
  }

  /** A newer record than the one that is known. */
  adopt = (theirs: Campaign) => {
    const newer = Date.parse(theirs.timestamp_updated) - Date.parse(this.#base.timestamp_updated)
    if (newer < 0) return
    // It may be what is being saved. What came of that is taken over, and saving learns of what is newer.
    if (this.#running) return
    // Both versions stay in sight until a person has chosen; saving then learns of what is newer.
    if (this.#state.saving === 'conflict') return
    if (newer === 0) {
      // Only what nobody writes, such as counts: what was refused would be refused again.
      this.#base = theirs
      return this.#tell(this.#state.saving, this.#state.fault)
    }
    this.#rebase(theirs)
    if (this.#state.saving === 'unsaved') this.#saveLater()
  }

  /** @param keepsMine for each conflict */
  resolve = (keepsMine: boolean[]) => {
    let whole = this.#state.campaign
    for (const [index, { path, mine }] of this.#state.conflicts.entries()) {
      if (keepsMine[index]) whole = setAt(whole, path, mine)
    }
    const names = Object.keys(this.#edits) as (keyof Settings)[]
    const chosen = Object.fromEntries(names.map((name) => [name, whole[name]]))
    this.#edits = differing(chosen, this.#base)
    this.#unmerged = undefined
    this.#keep()
    this.#tell(this.#isClean() ? 'saved' : 'unsaved')
    void this.flush()
  }

  #isClean = () => isEmpty(this.#edits)

  #isToBeSaved = () => this.#state.saving === 'unsaved' || this.#state.saving === 'refused'

  #saveLater(afterMs = waitMs) {
    clearTimeout(this.#timer)
    if (this.#held.size > 0) return
    this.#timer = setTimeout(async () => {
      await this.#running
      // Something may be held by then, and is saved with it.
      if (this.#held.size === 0) await this.flush()
    }, afterMs)
  }

  #start() {
    this.#running ??= this.#save().finally(() => {
      this.#running = undefined
      this.#takeOver()
      if (this.#state.saving === 'unsaved') this.#saveLater()
    })
    return this.#running
  }

  async #save(): Promise<void> {
    if (this.#isClean()) return this.#tell('saved')
    this.#tell('saving')
    const { save } = this.#options
    const { taken, fault, retryAfterMs, isOutdated, unanswered } = await saveAccepted(
      this.#edits,
      (sent) => save(toBody(sent, this.#base), this.#base.timestamp_updated),
    )
    for (const sent of unanswered) this.#unanswered.add(sent)
    if (isOutdated) return this.#readAgain()
    if (taken) this.#taken(taken.sent, taken.saved)
    if (!fault) return
    this.#tell('refused', fault)
    if (retryAfterMs !== undefined) this.#saveLater(retryAfterMs)
  }

  /** What was typed while it was under way is left, by the ids that were given to what is new. */
  #taken(sent: Edits, saved: Campaign) {
    const left = Object.entries(this.#edits).filter(
      ([name, value]) => value !== sent[name as keyof Settings],
    )
    const given = givenIds(sent, this.#base, saved)
    this.#edits = withIds(Object.fromEntries(left), given)
    this.#keepKeys(given)
    this.#unanswered.clear()
    this.#base = saved
    this.#keep()
    this.#tell(this.#isClean() ? 'saved' : 'unsaved')
    this.#options.onSaved(saved)
  }

  #keepKeys(given: Map<string, string>) {
    for (const [before, id] of given) this.#keys.set(id, this.keyOf(before))
  }

  async #readAgain() {
    try {
      this.#rebase(await this.#options.read())
    } catch (thrown) {
      this.#tell('refused', thrown as Fault)
    }
  }

  #rebase(theirs: Campaign) {
    const mine = { base: this.#base, edits: this.#edits }
    const { before, edits, conflicts, given } = rebase(mine, theirs, this.#unanswered)
    this.#unanswered.clear()
    this.#keepKeys(given)
    this.#unmerged = conflicts.length > 0 ? before : undefined
    this.#base = theirs
    this.#edits = edits
    this.#keep()
    const saving = conflicts.length > 0 ? 'conflict' : this.#isClean() ? 'saved' : 'unsaved'
    this.#state = { ...this.#stateAs(saving), conflicts }
    this.#listeners.tell()
  }

  #stateAs(saving: Saving, fault?: Fault): DraftState {
    const campaign = { ...this.#base, ...this.#edits }
    const conflicts = saving === 'conflict' ? this.#state.conflicts : []
    return { campaign, base: this.#base, saving, fault, conflicts }
  }

  #tell(saving: Saving, fault?: Fault) {
    this.#state = this.#stateAs(saving, fault)
    this.#listeners.tell()
  }

  #keep() {
    const kept = this.#unmerged ?? { base: this.#base, edits: this.#edits }
    const heldUntilMs = this.#held.size > 0 ? this.#heldUntilMs : undefined
    const isNothing = this.#isClean() && !this.#unmerged
    this.#storage.write(isNothing ? undefined : { ...kept, heldUntilMs })
  }

  /** One after the other: of what two tabs have kept of the same part, a person chooses. */
  #takeOver() {
    const record = this.#base
    while (this.#state.saving === 'saved') {
      const left = this.#storage.takeLeft()
      if (!left) return
      this.#base = left.base
      this.#edits = left.edits
      this.#keep()
      this.#tell('unsaved')
      this.adopt(record)
    }
  }
}
