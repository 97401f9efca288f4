interface Page {
  next_starting_after?: string
}

/**
 * Options of an infinite query: the first page is asked for without a cursor, each next one with the cursor
 * that the page before returned.
 */
export const keysetPaging = {
  initialPageParam: {},
  getNextPageParam: (page: Page) => page.next_starting_after,
}
