import { addDays, type ZoneCalendar } from '../../../kernel/calendar.ts'
import type { CampaignSchedule } from '../schedule/schedule-schema.ts'

export interface StepDelay {
  delay: number
  delay_unit: 'minutes' | 'hours' | 'days'
}

/** How far a lead has come. */
export interface SequenceProgress {
  /** In the order they were sent. */
  sent_step_ids: readonly string[]
  /** Number that the last of them had then; 0 before the first. */
  current_step: number
}

/**
 * The step that follows, whatever was done to the sequence meanwhile: a step sent is never sent
 * again, one that was removed is passed over, and one put in front of where the lead is stays
 * behind it.
 */
export function nextStep<Step extends { id: string }>(
  steps: readonly Step[],
  progress: SequenceProgress,
): Step | undefined {
  return steps.find(isToCome(steps, progress))
}

/** How many steps are behind a lead, sent or passed over, of those that there are now. */
export const stepsBehind = (steps: readonly { id: string }[], progress: SequenceProgress): number =>
  steps.length - steps.filter(isToCome(steps, progress)).length

function isToCome(
  steps: readonly { id: string }[],
  { sent_step_ids, current_step }: SequenceProgress,
) {
  const lastId = sent_step_ids.at(-1)
  let last = steps.findIndex(({ id }) => id === lastId)
  if (last < 0) last = steps.findLastIndex(({ id }) => sent_step_ids.includes(id))
  // Nothing of what was sent is left: the whole sequence was replaced, as a client does that sends
  // its steps without their ids.
  if (last < 0) last = current_step - 1
  return ({ id }: { id: string }, index: number) => index > last && !sent_step_ids.includes(id)
}

/** The end of a step's delay. Days are calendar days, not 24 hours each. */
export const afterDelay = (zone: string, step: StepDelay, from: Date): Date => {
  const calendar = {
    addDays: (ms: number, days: number) => addDays(zone, new Date(ms), days).getTime(),
  }
  return new Date(delayedMs(calendar, step, from.getTime()))
}

/** `afterDelay` for who asks for many leads. */
export function delayedMs(
  calendar: Pick<ZoneCalendar, 'addDays'>,
  { delay, delay_unit }: StepDelay,
  fromMs: number,
): number {
  if (delay_unit === 'days') return calendar.addDays(fromMs, delay)
  return fromMs + delay * unitMs[delay_unit]
}

const unitMs = { minutes: 60_000, hours: 3_600_000 }

/** In which the days of a campaign are counted. */
export const zoneOf = ({ schedules }: CampaignSchedule): string => schedules[0]?.timezone ?? 'UTC'
