import { parseInstant } from '../calendar.ts'
import { invalidField } from '../errors.ts'

/**
 * The time that a parameter holds.
 *
 * @param path as `details` name it: a parameter of the query by its name, a field of the body by a pointer
 * @throws AppError `invalid_field`
 */
export function instantOf(path: string, text: string): Date
export function instantOf(path: string, text: string | undefined): Date | undefined
export function instantOf(path: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const instant = parseInstant(text)
  if (instant) return new Date(instant.epochMilliseconds)
  const name = path.replace('/', '')
  throw invalidField(path, `${name} must be an ISO 8601 time such as 2026-11-20T00:00:00Z`)
}
