import type { ZoneCalendar } from '../../../kernel/calendar.ts'
import { unitMs } from '../../campaigns/index.ts'
import type { PlannedStep } from './planned.ts'

/** `afterDelay` for who asks for many leads. */
export function delayedMs(calendar: ZoneCalendar, step: PlannedStep, fromMs: number): number {
  const { delay, delay_unit } = step
  if (delay_unit === 'days') return calendar.addDays(fromMs, delay)
  return fromMs + delay * unitMs[delay_unit]
}
