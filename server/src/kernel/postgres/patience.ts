/** Longer than a shutdown with a full checkpoint takes. */
export const patienceMs = 60_000
