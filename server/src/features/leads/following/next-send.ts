import { afterDelay, type HeldSteps, nextStep } from '../../campaigns/index.ts'
import type { LockedLead, StoredLead } from '../record.ts'

export type Progress = Pick<
  StoredLead,
  | 'sent_step_ids'
  | 'current_step'
  | 'timestamp_created'
  | 'timestamp_last_contact'
  | 'timestamp_next_send'
  | 'postponed_until'
>

/**
 * The first instant for the lead's next step by its delay and by what was written down of it; null when
 * it is finished, because every step was sent. A campaign that has no step yet is expected to get one
 * without a delay.
 */
export function nextSendOf(
  { steps, zone, leads_finish_at }: Pick<HeldSteps, 'steps' | 'zone' | 'leads_finish_at'>,
  lead: Progress,
  now: Date,
): Date | null {
  const from = lead.timestamp_last_contact ?? lead.timestamp_created
  if (steps.length === 0) return from
  const step = nextStep(steps, lead)
  if (!step) return finishesLater({ ...lead, leads_finish_at }, now)
  const isFirst = lead.sent_step_ids.length === 0
  const next = afterDelay(zone, step, isFirst ? lead.timestamp_created : from)
  return latest(next, lead.postponed_until, isFirst ? null : dueBefore(lead, now))
}

/**
 * Where an edit took the steps away that a lead had left, it waits until that cannot be taken back any
 * more, and nobody looks at it before; null: it is finished now.
 */
export function finishesLater(
  {
    leads_finish_at,
    timestamp_next_send,
  }: Pick<LockedLead, 'leads_finish_at' | 'timestamp_next_send'>,
  now: Date,
): Date | null {
  return leads_finish_at && leads_finish_at > now
    ? latest(leads_finish_at, timestamp_next_send)
    : null
}

/**
 * A follow-up whose time a change puts into the past is due from the change on: nobody is late by it, or
 * later than they were. Where what is overdue is given up, it would else never be sent.
 */
const dueBefore = ({ timestamp_next_send: before }: Progress, now: Date) =>
  before && before > now ? now : before

const latest = (first: Date, ...others: (Date | null)[]): Date =>
  others.reduce<Date>((last, at) => (at && at > last ? at : last), first)
