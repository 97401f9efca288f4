import { dayMs } from '../../../kernel/durations.ts'
import { chanceOf } from './chance.ts'
import type { PlannedCampaign, PlannedMailbox, PlannedStep, PlannedVariant } from './planned.ts'

/**
 * One of the enabled variants, evenly over leads and always the same for one: of each variant a
 * chance is drawn and the highest wins, so that disabling one moves only the leads that had it.
 */
export function variantOf(step: PlannedStep, leadId: string): PlannedVariant | undefined {
  const enabled = step.variants.filter(({ v_disabled }) => !v_disabled)
  if (enabled.length <= 1) return enabled[0]
  const chances = enabled.map(({ id }) => chanceOf(`${leadId} ${id}`))
  return enabled[chances.indexOf(Math.max(...chances))]
}

type Gaps = Pick<PlannedCampaign, 'email_gap' | 'random_wait_max'>

/** Milliseconds that the mailbox waits after this mail: the larger gap, and the campaign's jitter. */
export const gapAfter = (
  campaign: Gaps,
  mailbox: Pick<PlannedMailbox, 'gap_seconds'>,
  leadId: string,
  stepId: string,
): number => gapMs(campaign, mailbox, chanceOf(`${leadId} ${stepId}`))

export function gapMs(
  { email_gap, random_wait_max }: Gaps,
  { gap_seconds }: Pick<PlannedMailbox, 'gap_seconds'>,
  chance: number,
): number {
  const jitterMs = Math.floor(chance * (random_wait_max * 60_000 + 1))
  return Math.max(email_gap * 60_000, gap_seconds * 1000) + jitterMs
}

/** Mails that a mailbox may send on this day of its own. */
export function mailboxLimit(
  { daily_limit, ramp_up }: Pick<PlannedMailbox, 'daily_limit' | 'ramp_up'>,
  day: string,
): number {
  if (!ramp_up) return daily_limit
  const days = Math.max(0, (Date.parse(day) - Date.parse(ramp_up.from)) / dayMs)
  return Math.min(daily_limit, ramp_up.start + ramp_up.step * days)
}
