/** What one replay delivers at most. */
export const replayMax = 100_000
