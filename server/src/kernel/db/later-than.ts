/** The `timestamp_updated` of a change, never the same twice: it is what tells two versions of a row apart. */
export const laterThan = (previous: Date, now: Date) =>
  new Date(Math.max(now.getTime(), previous.getTime() + 1))
