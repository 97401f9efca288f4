import { AppError } from '../errors.ts'

// Clients send records back as they read them, with ids and times parsed and written anew: these
// functions tell whether such a value is still the same.

export type ReadOnlyFields<Current> = Record<string, (sent: unknown, current: Current) => boolean>

/**
 * @param isAsRead of each field that a client cannot change whether what it sent may be what it read
 * @throws 400 `unknown_field` that names those that it may not
 */
export function refuseChanged<Current>(
  sent: object,
  current: Current,
  isAsRead: ReadOnlyFields<Current>,
) {
  const details = readOnlyIn(sent, isAsRead)
    .filter(([field, value]) => !isAsRead[field]?.(value, current))
    .map(([field]) => ({
      path: `/${field}`,
      message: `${field} cannot be changed; leave it out or send it back as it was read`,
    }))
  if (details[0]) throw new AppError('unknown_field', details[0].message, { details })
}

/** Some generated clients send null for what they were not given. */
export const readOnlyIn = (sent: object, fields: object): [field: string, value: unknown][] =>
  Object.entries(sent).filter(([field, value]) => field in fields && value !== null)

export const isSameId = (sent: unknown, id: string): boolean =>
  typeof sent === 'string' && sent.toLowerCase() === id

/** NaN for what is no time. */
export const timeOf = (sent: unknown): number =>
  typeof sent === 'string' ? Date.parse(sent) : Number.NaN

/** The service itself changes a record at any time: what was read since it was made is unchanged. */
export const isTimeBetween = (sent: unknown, from: Date, to: Date): boolean =>
  timeOf(sent) >= from.getTime() && timeOf(sent) <= to.getTime()
