import type { ZoneCalendar } from '../../../kernel/calendar.ts'
import type { PlannedMailbox } from './planned.ts'

/** A mailbox on its way through time. */
export interface Lane {
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
