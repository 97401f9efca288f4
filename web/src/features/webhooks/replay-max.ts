/** What one replay delivers at most; missed events are counted no further. */
export const replayMax = 100_000
