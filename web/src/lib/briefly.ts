const longestMs = 3000

/** Waits for something, but no longer than somebody who wants to leave would. */
export const briefly = (work: Promise<unknown>): Promise<unknown> =>
  Promise.race([work, new Promise((resolve) => setTimeout(resolve, longestMs))])
