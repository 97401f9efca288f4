import { dayMs } from './durations.ts'
export interface CalendarDay {
  /** `YYYY-MM-DD`: days compare as texts do. */
  date: string
  startMs: number
  /** Where the next day starts: 23 or 25 hours later when clocks change. */
  endMs: number
}

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/

/** Of an ISO 8601 time with its offset; undefined when it is written otherwise, or there is no such time. */
export const parseInstant = (text: string): Temporal.Instant | undefined =>
  isoTime.test(text) ? attempt(() => Temporal.Instant.from(text)) : undefined

/** PostgreSQL knows no year 0, and days before one that is asked for must not be in it. */
const isoDay = /^(?!000)\d{4}-\d\d-\d\d$/

/** Of a date as `2026-11-20`; undefined when it is written otherwise, or there is no such day. */
export const parseDay = (text: string): Temporal.PlainDate | undefined =>
  isoDay.test(text) ? attempt(() => Temporal.PlainDate.from(text)) : undefined

function attempt<T>(parse: () => T): T | undefined {
  try {
    return parse()
  } catch (error) {
    if (error instanceof RangeError) return
    throw error
  }
}

/** What a clock on the wall of an IANA zone shows at an instant. */
export const zoned = (zone: string, ms: number): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone)

/** The calendar day of an instant in an IANA zone. */
export const dayOf = (zone: string, time: Date): string =>
  zoned(zone, time.getTime()).toPlainDate().toString()

/** A time of the wall clock some days on: not 24 hours each, when clocks change in between. */
export const addDays = (zone: string, time: Date, days: number): Date =>
  new Date(zoned(zone, time.getTime()).add({ days }).epochMilliseconds)

/**
 * Keeps the last day and the UTC offsets of one time zone. It answers what Temporal does, which is
 * asked only where clocks change: 0.08 instead of 4 µs to add days (measured).
 */
export class ZoneCalendar {
  readonly #zone: string
  #day: CalendarDay = { date: '', startMs: 0, endMs: 0 }
  /** Stretches of one offset, as far as they were asked for. */
  #spans: Span[] = []
  #lastSpan: Span = { fromMs: 0, toMs: 0, offsetMs: 0 }

  constructor(zone: string) {
    this.#zone = zone
  }

  dayAt(ms: number): CalendarDay {
    if (ms >= this.#day.startMs && ms < this.#day.endMs) return this.#day
    const start = zoned(this.#zone, ms).startOfDay()
    const date = start.toPlainDate()
    this.#day = {
      date: date.toString(),
      startMs: start.epochMilliseconds,
      endMs: date.add({ days: 1 }).toZonedDateTime(this.#zone).epochMilliseconds,
    }
    return this.#day
  }

  addDays(ms: number, days: number): number {
    if (days === 0) return ms
    const offsetMs = this.#spanAt(ms).offsetMs
    const near = ms + days * dayMs
    const target = near + offsetMs - this.#spanAt(near).offsetMs
    // A wall clock time is unambiguous where the offset is the same a day before and after.
    const span = this.#spanAt(target - dayMs)
    if (target + dayMs < span.toMs && span.offsetMs === this.#spanAt(near).offsetMs) return target
    return zoned(this.#zone, ms).add({ days }).epochMilliseconds
  }

  #spanAt(ms: number): Span {
    if (ms >= this.#lastSpan.fromMs && ms < this.#lastSpan.toMs) return this.#lastSpan
    this.#lastSpan =
      this.#spans.find((span) => ms >= span.fromMs && ms < span.toMs) ?? this.#add(ms)
    return this.#lastSpan
  }

  #add(ms: number): Span {
    const time = zoned(this.#zone, ms)
    const toMs = time.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY
    const known = this.#spans.find((span) => span.toMs === toMs)
    if (known) known.fromMs = ms
    const span = known ?? { fromMs: ms, toMs, offsetMs: time.offsetNanoseconds / 1e6 }
    if (!known) this.#spans.push(span)
    return span
  }
}

interface Span {
  fromMs: number
  toMs: number
  offsetMs: number
}
