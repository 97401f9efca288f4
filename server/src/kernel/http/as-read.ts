// Clients send records back as they read them, with ids and times parsed and written anew: these
// functions tell whether such a value is still the same.

export const isSameId = (sent: unknown, id: string): boolean =>
  typeof sent === 'string' && sent.toLowerCase() === id

/** NaN for what is no time. */
export const timeOf = (sent: unknown): number =>
  typeof sent === 'string' ? Date.parse(sent) : Number.NaN

/** The service itself changes a record at any time: what was read since it was made is unchanged. */
export const isTimeBetween = (sent: unknown, from: Date, to: Date): boolean =>
  timeOf(sent) >= from.getTime() && timeOf(sent) <= to.getTime()
