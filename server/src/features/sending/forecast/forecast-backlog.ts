import { delayedMs } from '../../campaigns/index.ts'
import type { Block, Budget, Work } from '../planning/allocate.ts'
import { chanceOfNumber } from '../planning/chance.ts'
import { gapMs } from '../planning/pace.ts'
import type { PlannedCampaign, PlannedLead, WaitReason } from '../planning/planned.ts'
import type { PlannedLane } from '../planning/planned-lane.ts'
import { DueHistogram } from './due-histogram.ts'
import type { ForecastDays } from './forecast-days.ts'
import { type StepPath, StepPaths } from './step-paths.ts'

/** Leads in the same place that are due at about the same time. */
export interface Cohort extends Pick<PlannedLead, 'mailbox_id' | 'sent_step_ids' | 'current_step'> {
  sending_state: 'pending' | 'active' | 'paused' | 'suppressed'
  due: Date
  leads: number
}

/** Why leads get nothing more until something changes. */
export const heldLeadReasons = [
  'lead_paused',
  'suppressed',
  'no_step_left',
  'no_enabled_variant',
  'mailboxes_unhealthy',
  'mailbox_unavailable',
  'expired',
] as const satisfies ('lead_paused' | WaitReason)[]

export type HeldLeadReason = (typeof heldLeadReasons)[number]

/** Leads as numbers: how many are due for which step, and when. */
export class ForecastBacklog implements Work {
  readonly held = new Map<HeldLeadReason, number>()
  /** Leads that were sent a mail. */
  #sentTo = 0
  readonly #campaign: PlannedCampaign
  readonly #budget: Budget
  readonly #lanes: PlannedLane[]
  readonly #days: ForecastDays
  readonly #paths: StepPaths
  /** New leads, by rank of their path. */
  readonly #new: DueHistogram[]
  /** Follow-ups by lane, then by rank of the path. */
  readonly #followUps: DueHistogram[][]
  #draws = 0

  constructor(
    campaign: PlannedCampaign,
    budget: Budget,
    lanes: PlannedLane[],
    cohorts: Cohort[],
    days: ForecastDays,
  ) {
    this.#campaign = campaign
    this.#budget = budget
    this.#lanes = lanes
    this.#days = days
    this.#paths = new StepPaths(campaign.steps)
    const placed = cohorts.map((cohort) => ({ cohort, path: this.#paths.from(cohort) }))
    const queues = () => this.#paths.all.map(() => new DueHistogram())
    this.#new = queues()
    this.#followUps = lanes.map(queues)
    const rankOf = new Map(lanes.map(({ mailbox, rank }) => [mailbox.id, rank]))
    placed.sort((a, b) => a.cohort.due.getTime() - b.cohort.due.getTime())
    for (const { cohort, path } of placed) this.#place(cohort, path, rankOf)
  }

  followUpDueMs(lane: PlannedLane): number {
    const queues = this.#followUps[lane.rank] as DueHistogram[]
    if (this.#campaign.expire_after_days !== null) this.#dropExpired(queues, lane.wakeMs)
    return firstDueMs(queues)
  }

  newDueMs = (): number => firstDueMs(this.#new)

  send(lane: PlannedLane, isNew: boolean, atMs: number): number {
    this.#days.sent(this, lane, isNew, atMs)
    const queues = isNew ? this.#new : (this.#followUps[lane.rank] as DueHistogram[])
    const rank = this.#firstRank(queues)
    if (queues[rank]?.take()) this.#sentTo++
    const rest = this.#paths.all[rank]?.rest
    if (rest) this.#follow(lane, rest, atMs)
    return gapMs(this.#campaign, lane.mailbox, chanceOfNumber(++this.#draws))
  }

  blocked(lane: PlannedLane, by: Block, atMs: number) {
    this.#days.blocked(this, lane, by, atMs)
  }

  hasNewBefore = (ms: number): boolean => this.newDueMs() < ms

  /** Lanes with a follow-up that is due before this instant. */
  lanesDueBefore = (ms: number): PlannedLane[] =>
    this.#lanes.filter(({ rank }) => firstDueMs(this.#followUps[rank] as DueHistogram[]) < ms)

  /**
   * Leads that were sent a mail, and with them, where only the days that are looked at are over, those
   * whose turn is still to come: of new ones only where the campaign may begin with any.
   */
  recipients({ isCutOff }: { isCutOff: boolean }): number {
    if (!isCutOff) return this.#sentTo
    const mayBegin = this.#budget.newLeadsMax > 0
    const queues = [...(mayBegin ? this.#new : []), ...this.#followUps.flat()]
    return queues.reduce((sum, queue) => sum + queue.initialLeft(), this.#sentTo)
  }

  mailsLeft(): number {
    const mailsIn = (queues: DueHistogram[]) =>
      queues.reduce((sum, queue, rank) => sum + queue.total() * this.#mailsOf(rank), 0)
    return [this.#new, ...this.#followUps].reduce((sum, queues) => sum + mailsIn(queues), 0)
  }

  /** Of leads that are due together the one that is furthest goes first, as in a plan. */
  #firstRank(queues: DueHistogram[]): number {
    let [first, firstMs, furthest] = [0, Number.POSITIVE_INFINITY, 0]
    for (const { rank, step } of this.#paths.all) {
      const dueMs = queues[rank]?.dueMs() ?? Number.POSITIVE_INFINITY
      if (dueMs > firstMs || (dueMs === firstMs && step.number < furthest)) continue
      first = rank
      firstMs = dueMs
      furthest = step.number
    }
    return first
  }

  #mailsOf = (rank: number) => this.#paths.all[rank]?.mails ?? 0

  #place(cohort: Cohort, path: StepPath | null, rankOf: Map<string, number>) {
    const isNew = cohort.sent_step_ids.length === 0
    const rank = rankOf.get(cohort.mailbox_id ?? '')
    if (cohort.sending_state === 'paused') this.#hold('lead_paused', cohort.leads)
    else if (cohort.sending_state === 'suppressed') this.#hold('suppressed', cohort.leads)
    else if (!path) this.#hold('no_step_left', cohort.leads)
    else if (!path.isSendable) this.#hold('no_enabled_variant', cohort.leads)
    else if (rankOf.size === 0) this.#hold('mailboxes_unhealthy', cohort.leads)
    else if (!isNew && rank === undefined) this.#hold('mailbox_unavailable', cohort.leads)
    else {
      const queues = isNew ? this.#new : this.#followUps[rank as number]
      queues?.[path.rank]?.add(cohort.due.getTime(), cohort.leads, cohort.leads)
    }
  }

  #follow(lane: PlannedLane, path: StepPath, sentMs: number) {
    if (!path.isSendable) return this.#hold('no_enabled_variant', 1)
    const dueMs = delayedMs(this.#budget.calendar, path.step, sentMs)
    this.#followUps[lane.rank]?.[path.rank]?.add(dueMs, 1)
  }

  #dropExpired(queues: DueHistogram[], nowMs: number) {
    const { calendar } = this.#budget
    const days = this.#campaign.expire_after_days as number
    for (const queue of queues) {
      // Only what is overdue is worth asking for a day of the calendar.
      while (queue.dueMs() < nowMs && calendar.addDays(queue.dueMs(), days) < nowMs) {
        this.#hold('expired', queue.drop())
      }
    }
  }

  #hold(reason: HeldLeadReason, leads: number) {
    this.held.set(reason, (this.held.get(reason) ?? 0) + leads)
  }
}

function firstDueMs(queues: DueHistogram[]): number {
  let first = Number.POSITIVE_INFINITY
  for (const queue of queues) first = Math.min(first, queue.dueMs())
  return first
}
