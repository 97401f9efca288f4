import { parseInstant } from '../calendar.ts'
import { invalidField } from '../errors.ts'

/**
 * The time that a parameter holds.
 *
 * @throws AppError `invalid_field` with its name
 */
export function instantOf(name: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const instant = parseInstant(text)
  if (instant) return new Date(instant.epochMilliseconds)
  throw invalidField(`/${name}`, `${name} must be an ISO 8601 time such as 2026-11-20T00:00:00Z`)
}
