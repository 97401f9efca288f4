/** For what nothing tells of, and is asked again and again: it ends what hangs, and nothing that is slow. */
export const patience = { timeout: 120_000, interval: 20 }
