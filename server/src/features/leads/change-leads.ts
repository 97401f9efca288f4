import { dayOf } from '../../kernel/calendar.ts'
import type { Context } from '../../kernel/context.ts'
import { addLeadCounts, type LeadCounts, reopenCampaigns } from '../campaigns/index.ts'
import type { StepCount, StepMail, StepOutcome, StepPlace } from '../daily-counts/index.ts'
import { emit, type NewEvent } from '../events/index.ts'
import { tellPages } from '../live/index.ts'
import * as queries from './queries.ts'
import {
  isErased,
  isFinal,
  isOpen,
  type LeadState,
  type LockedLead,
  leadRecord,
  type Seen,
  type StoredLead,
} from './record.ts'

/** A locked lead on its way through one or more changes. */
export class ChangingLead {
  readonly before: LockedLead
  now: LockedLead
  readonly events: NewEvent[] = []
  /** What it means for the days of its campaign. */
  readonly counts: StepCount[] = []
  /** The mail that a change is about; null: the last that the lead was sent. */
  #mail: StepMail | null = null
  /** The day on which it counts has this instant; null: that of the change. */
  #cameAt: Date | null = null

  constructor(lead: LockedLead) {
    this.before = lead
    this.now = lead
  }

  get isChanged() {
    return this.now !== this.before
  }

  /** Of the changes from here on. */
  about(mail: StepMail | null, cameAt: Date | null = null) {
    this.#mail = mail
    this.#cameAt = cameAt
  }

  count(outcome: StepOutcome, day: string, by: 1 | -1 = 1) {
    const place = this.#placeOn(day)
    if (place) this.#countAt(place, outcome, by)
  }

  /** Counts what the lead came to, and notes where: later it has other mails, perhaps at other steps. */
  #countOnce(outcome: Exclude<StepOutcome, Seen>, day: string) {
    const place = this.#placeOn(day)
    if (!place) return
    this.#countAt(place, outcome, 1)
    this.#note({ ...this.now.outcomes_counted, [outcome]: place })
  }

  /** Of several opens or clicks of a mail the first counts, so that no rate exceeds the mails sent. */
  countFirst(outcome: Seen, day: string) {
    const place = this.#placeOn(day)
    const known = this.now.outcomes_counted?.[outcome] ?? this.#seenBefore(outcome)
    if (!place?.step_id || known.includes(place.step_id)) return
    this.#countAt(place, outcome, 1)
    this.#note({ ...this.now.outcomes_counted, [outcome]: [...known, place.step_id] })
  }

  /** Until steps were noted the time of the last one told: all mails up to then may have been counted. */
  #seenBefore(outcome: Seen): string[] {
    const { timestamp_last_open, timestamp_last_click, sent_step_ids } = this.now
    const last = outcome === 'opened' ? timestamp_last_open : timestamp_last_click
    return last === null ? [] : sent_step_ids
  }

  /** What a lead came to counts once, at the mail that it followed; taken back, one less there. */
  #countOutcomes(before: LockedLead, day: string) {
    const was = countsOf(before)
    const is = countsOf(this.now)
    const follow = (outcome: Exclude<StepOutcome, Seen>, by: number) => {
      if (by === 1) this.#countOnce(outcome, day)
      else if (by === -1) this.#takeBack(outcome)
    }
    follow('replied', is.replied - was.replied)
    follow('bounced', is.bounced - was.bounced)
    follow('unsubscribed', is.unsubscribed - was.unsubscribed)
    follow('interested', Number(isInterested(this.now)) - Number(isInterested(before)))
  }

  /** From where it was counted; what never was stays as it is. */
  #takeBack(outcome: Exclude<StepOutcome, Seen>) {
    const { [outcome]: place, ...others } = this.now.outcomes_counted ?? {}
    if (!place) return
    this.#countAt(place, outcome, -1)
    this.#note(Object.keys(others).length > 0 ? others : null)
  }

  /** Of nothing that was sent nothing is counted. */
  #placeOn(day: string): StepPlace | null {
    const mail = this.#mail ?? this.#lastMail()
    return mail && { day, ...mail }
  }

  #lastMail(): StepMail | null {
    const { sent_step_ids, last_variant_id } = this.now
    const step_id = sent_step_ids.at(-1)
    return step_id === undefined ? null : { step_id, variant_id: last_variant_id }
  }

  #countAt(place: StepPlace, outcome: StepOutcome, by: 1 | -1) {
    const { campaign_id } = this.now
    this.counts.push({ campaign_id, ...place, outcome, by })
  }

  #note(outcomes_counted: LeadState['outcomes_counted']) {
    this.now = { ...this.now, outcomes_counted }
  }

  /** Events tell of the lead as it is after the change that they come from. */
  change(
    patch: Partial<LeadState>,
    events: Pick<NewEvent, 'type' | 'data' | 'customInterestValue' | 'at'>[],
    at: Date,
  ) {
    if (Object.keys(patch).length > 0) {
      const before = this.now
      const now = { ...before, ...patch, timestamp_updated: at }
      now.stopped_from = stoppedFrom(before, now)
      this.now = withoutNext(now)
      this.#countOutcomes(before, dayOf(now.campaign_zone, this.#cameAt ?? at))
    }
    if (events.length === 0) return
    const { campaign_id, campaign_name, email } = this.now
    const lead = leadRecord(this.now)
    for (const event of events) {
      this.events.push({
        ...event,
        campaign: { id: campaign_id, name: campaign_name },
        leadEmail: email,
        data: { lead, ...event.data },
      })
    }
  }
}

/** A stop that is final hides what the lead was, and undoing it must not write to who was not written to. */
function stoppedFrom(before: LockedLead, now: LockedLead): LeadState['stopped_from'] {
  if (!isFinal(now.stop_reason)) return null
  const { sending_state, stop_reason } = before
  if (isFinal(stop_reason)) return before.stopped_from
  if (sending_state === 'stopped') return stop_reason
  return sending_state === 'paused' || sending_state === 'finished' ? sending_state : null
}

/** Nothing is next for a lead that is done with. Whoever takes that back must know of an absence. */
const withoutNext = (lead: LockedLead): LockedLead =>
  isOpen(lead.sending_state) ? lead : { ...lead, timestamp_next_send: null }

/**
 * Writes what became of leads, tells it in events and counts it in their campaigns, all in the
 * caller's transaction. Counters come last, in campaign order: their rows are what every other
 * change of these campaigns waits for.
 */
export async function changeLeads(tx: Context, workspaceId: string, leads: ChangingLead[]) {
  const changed = leads.filter((lead) => lead.isChanged)
  const counts = leads.flatMap((lead) => lead.counts)
  if (changed.length > 0 || counts.length > 0) {
    const states = changed.map(({ now }) => now)
    await queries.updateStates(tx.db, workspaceId, states, counts)
    tellPages(tx, workspaceId, ['leads'])
  }
  await emit(
    tx,
    workspaceId,
    leads.flatMap(({ events }) => events),
  )
  await countInCampaigns(
    tx,
    workspaceId,
    changed.map(({ before, now }) => ({ was: before, is: now })),
  )
}

/**
 * As `changeLeads`, for leads that come back by what turned out, or by an undo: a campaign that was
 * completed without them is reopened, and goes on with them.
 */
export async function changeLeadsAndReopen(
  tx: Context,
  workspaceId: string,
  leads: ChangingLead[],
) {
  await changeLeads(tx, workspaceId, leads)
  const returned = leads.filter(
    ({ before, now }) => !isOpen(before.sending_state) && isOpen(now.sending_state),
  )
  const byCampaign = Map.groupBy(returned, ({ now }) => now.campaign_id)
  const counts = [...byCampaign].map(([id, { length }]) => [id, length] as const)
  await reopenCampaigns(tx, workspaceId, new Map(counts))
}

const isInterested = ({ status }: StoredLead) => interested.has(status)
const interested = new Set(['interested', 'meeting_booked', 'meeting_completed', 'closed'])

/**
 * Counts leads in their campaigns as they are, no more as they were. What is no more does not count, nor
 * does who is erased, whose row stays.
 */
export async function countInCampaigns(
  tx: Context,
  workspaceId: string,
  changes: { was: StoredLead; is?: StoredLead }[],
) {
  const byCampaign = new Map<string, Partial<LeadCounts>>()
  for (const { was, is } of changes) {
    if (isErased(was)) continue
    const [from, to] = [countsOf(was), is && countsOf(is)]
    for (const counter of counters) {
      const by = (to?.[counter] ?? 0) - from[counter]
      if (by === 0) continue
      const sums = byCampaign.get(was.campaign_id) ?? {}
      sums[counter] = (sums[counter] ?? 0) + by
      byCampaign.set(was.campaign_id, sums)
    }
  }
  await addLeadCounts(tx, workspaceId, byCampaign)
}

const counters = ['total', 'active', 'completed', 'replied', 'bounced', 'unsubscribed'] as const

/** How one lead counts in its campaign's `lead_counts`. */
const countsOf = (lead: StoredLead): LeadCounts => ({
  total: 1,
  active: Number(isOpen(lead.sending_state)),
  completed: Number(lead.sending_state === 'finished'),
  replied: Number(lead.email_reply_count > 0),
  bounced: Number(lead.stop_reason === 'bounced'),
  unsubscribed: Number(lead.stop_reason === 'unsubscribed'),
})
