import type { Work } from './allocate.ts'
import type { Candidate } from './candidates.ts'
import { gapAfter } from './pace.ts'
import type { PlannedCampaign, PlannedSend } from './planned.ts'
import type { PlannedLane } from './planned-lane.ts'

/** Leads one by one, each kind in the order in which they became due. */
export class LeadWork implements Work {
  readonly sends: PlannedSend[] = []
  readonly #campaign: PlannedCampaign
  readonly #new: DueQueue
  readonly #followUps: Map<string, DueQueue>

  constructor(campaign: PlannedCampaign, candidates: Candidate[]) {
    this.#campaign = campaign
    const sorted = candidates.toSorted(byDue)
    this.#new = new DueQueue(sorted.filter(({ isNew }) => isNew))
    const followUps = sorted.filter(({ isNew }) => !isNew)
    const byMailbox = Map.groupBy(followUps, ({ lead }) => lead.mailbox_id ?? '')
    this.#followUps = new Map(
      byMailbox.entries().map(([mailboxId, due]) => [mailboxId, new DueQueue(due)]),
    )
  }

  followUpDueMs = ({ mailbox }: PlannedLane) =>
    this.#followUps.get(mailbox.id)?.dueMs() ?? Number.POSITIVE_INFINITY

  newDueMs = () => this.#new.dueMs()

  send({ mailbox }: PlannedLane, isNew: boolean, atMs: number, untilMs: number): number {
    const queue = isNew ? this.#new : this.#followUps.get(mailbox.id)
    const { lead, step, variant } = (queue as DueQueue).take()
    this.sends.push({
      lead_id: lead.id,
      step_id: step.id,
      step: step.number,
      variant_id: variant.id,
      variant: variant.number,
      mailbox_id: mailbox.id,
      at: new Date(atMs),
      until: new Date(untilMs),
      isNew,
      after_step_id: lead.sent_step_ids.at(-1) ?? null,
    })
    return gapAfter(this.#campaign, mailbox, lead.id, step.id)
  }

  /** The candidates that were not sent. */
  left = (): Candidate[] => [this.#new, ...this.#followUps.values()].flatMap((due) => due.left())
}

/** Of candidates that are due together, the one with the furthest step goes first. */
const byDue = (a: Candidate, b: Candidate) =>
  a.dueMs - b.dueMs || b.step.number - a.step.number || (a.lead.id < b.lead.id ? -1 : 1)

class DueQueue {
  readonly #candidates: Candidate[]
  #first = 0

  constructor(candidates: Candidate[]) {
    this.#candidates = candidates
  }

  dueMs = () => this.#candidates[this.#first]?.dueMs ?? Number.POSITIVE_INFINITY
  take = () => this.#candidates[this.#first++] as Candidate
  left = () => this.#candidates.slice(this.#first)
}
