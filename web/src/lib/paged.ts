interface Page {
  next_starting_after?: string
}

/** How a list goes from one page to the next: the first is asked for by nothing. */
export const paged = {
  initialPageParam: {},
  getNextPageParam: (page: Page) => page.next_starting_after,
}
