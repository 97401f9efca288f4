import { InvalidArgumentError } from 'commander'
import { parseInstant } from '../kernel/calendar.ts'
import { parseUuid } from '../kernel/ids.ts'

export function parseName(text: string): string {
  const name = text.trim()
  const isPlain = name.isWellFormed() && !/\p{Cc}/u.test(name)
  if (isPlain && name !== '' && [...name].length <= 255) return name
  throw new InvalidArgumentError(
    'It must have 1 to 255 characters, none of them control characters.',
  )
}

export function parseSwitch(text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on'
  throw new InvalidArgumentError('It must be on or off.')
}

export function parseCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 0 to 999999999.')
}

export function parseAtLeastOne(text: string): number {
  const count = parseCount(text)
  if (count > 0) return count
  throw new InvalidArgumentError('It must be at least 1.')
}

export function parseList(text: string): string[] {
  const items = text.split(',').map((item) => item.trim())
  if (items.every((item) => item !== '')) return items
  throw new InvalidArgumentError('It must be a list with commas, and nothing empty in it.')
}

export function parseId(text: string): string {
  const id = parseUuid(text.trim())
  if (id) return id
  throw new InvalidArgumentError('It must be an id, a UUID.')
}

/** A date is its first instant, UTC. */
export function parseTime(text: string): Date {
  const instant = parseInstant(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text)
  if (instant) return new Date(instant.epochMilliseconds)
  throw new InvalidArgumentError('It must be an ISO 8601 time, as 2027-01-31T09:00:00Z, or a date.')
}
