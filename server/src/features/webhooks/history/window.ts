import { parseDay, parseInstant } from '../../../kernel/calendar.ts'
import { invalidField } from '../../../kernel/errors.ts'
import { firstIdAt } from '../../../kernel/ids.ts'

/** UTC days, both inclusive, as `YYYY-MM-DD`. */
export interface DayWindow {
  from: string
  to: string
}

const daysDefault = 30
const daysMax = 366

/**
 * The window of a summary (contract §4 "Summary"): `from` alone reaches to today, nothing means the
 * last 30 days, `to` alone the 30 days that end with it.
 *
 * @throws 400 `invalid_field`
 */
export function parseDays(query: WindowQuery, now: Date): DayWindow {
  const from = parseDate(...given(query, 'from', 'start_date'))
  const to = parseDate(...given(query, 'to', 'end_date')) ?? dayOf(now.toISOString().slice(0, 10))
  const start = from ?? to.subtract({ days: daysDefault - 1 })
  const days = start.until(to).days + 1
  if (days < 1)
    throw invalidField('from', 'from must not be after to, which is today when left out')
  if (days > daysMax)
    throw invalidField('from', `from and to must span at most ${daysMax} days, both included`)
  return { from: start.toString(), to: to.toString() }
}

/** Every day of the window, ascending. */
export function daysOf({ from, to }: DayWindow): string[] {
  const start = dayOf(from)
  const count = start.until(dayOf(to)).days + 1
  return Array.from({ length: count }, (_, days) => start.add({ days }).toString())
}

export interface IdRange {
  /** The first id in it. */
  from: string | undefined
  /** The first id after it. */
  before: string | undefined
}

/**
 * `from` and `to` of a list as bounds on ids, which hold the time: a date is its whole UTC day, a
 * time is itself; both inclusive.
 *
 * @throws 400 `invalid_field`
 */
export function parseTimes(query: WindowQuery): IdRange {
  const from = parseMoment(...given(query, 'from', 'start_date'))
  const to = parseMoment(...given(query, 'to', 'end_date'))
  if (from && to && from.startMs >= to.endMs) {
    throw invalidField('from', 'from must not be after to')
  }
  return {
    from: from && firstIdAt(new Date(from.startMs)),
    before: to && firstIdAt(new Date(to.endMs)),
  }
}

type Field = 'from' | 'to' | 'start_date' | 'end_date'

type WindowQuery = Partial<Record<Field, string>>

/** What was sent of a parameter that has two names. */
function given(query: WindowQuery, name: Field, alias: Field): [Field, string | undefined] {
  const [own, other] = [query[name], query[alias]]
  if (own !== undefined && other !== undefined && own !== other) {
    throw invalidField(alias, `${alias} is another name of ${name}; send one of them`)
  }
  return own === undefined ? [alias, other] : [name, own]
}

function parseDate(field: Field, text: string | undefined) {
  if (text === undefined) return
  const day = parseDay(text)
  if (day) return day
  throw invalidField(field, `${field} must be a date, as 2026-11-20`)
}

/** What one `from` or `to` covers; `endMs` is exclusive. */
interface Moment {
  startMs: number
  endMs: number
}

function parseMoment(field: Field, text: string | undefined): Moment | undefined {
  if (text === undefined) return
  const day = parseDay(text)
  const moment = day ? wholeDay(day) : exactTime(text)
  if (moment) return moment
  throw invalidField(
    field,
    `${field} must be a date or a time, as 2026-11-20 or 2026-11-20T09:30:00Z`,
  )
}

function wholeDay(day: Temporal.PlainDate): Moment {
  const start = day.toZonedDateTime('UTC')
  return { startMs: start.epochMilliseconds, endMs: start.add({ days: 1 }).epochMilliseconds }
}

function exactTime(text: string): Moment | undefined {
  // A plus sign that was not encoded arrives as a space.
  const instant = parseInstant(text.replace(/ (?=\d\d:\d\d$)/, '+'))
  if (!instant) return
  const { epochMilliseconds, epochNanoseconds } = instant
  const isWhole = epochNanoseconds === BigInt(epochMilliseconds) * 1_000_000n
  return {
    startMs: isWhole ? epochMilliseconds : epochMilliseconds + 1,
    endMs: epochMilliseconds + 1,
  }
}

const dayOf = (text: string) => Temporal.PlainDate.from(text)
