/**
 * For `vi.waitFor` and `expect.poll` where no signal tells of the change. The timeout is for what hangs;
 * slow machines stay far below it.
 */
export const patience = { timeout: 120_000, interval: 20 }
