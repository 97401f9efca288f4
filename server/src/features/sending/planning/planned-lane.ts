import type { ZoneCalendar } from '../../../kernel/calendar.ts'
import type { PlannedMailbox } from './planned.ts'

/** A mailbox's lane as the planner moves it through time. */
export interface PlannedLane {
  readonly mailbox: PlannedMailbox
  readonly rank: number
  readonly calendar: ZoneCalendar
  /** When it is looked at next: it is free, or something may have become due. */
  wakeMs: number
  /** Its own day, what it may send on it, and what it has sent. */
  date: string
  dayEndMs: number
  limit: number
  sent: number
}
