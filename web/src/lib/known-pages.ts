/** As the server answers a list: newest first, with where the next page starts if there is one. */
export interface KeysetPage<T> {
  items: T[]
  next_starting_after?: string
}

/** Where the pages of a list start, and how many rows of theirs count; undefined: not read yet. */
export type Pages = readonly { after: string | undefined; size: number | undefined }[]

export const firstPages: Pages = [{ after: undefined, size: undefined }]

/**
 * What is known once a page was read, maybe again. Where pages start stays, so that nobody loses the
 * place; rows past the start of the next page are counted there. When so much is new that the page
 * no longer reaches the next one, another is put between them.
 */
export function withPage(
  pages: Pages,
  index: number,
  { items, next_starting_after: end }: KeysetPage<{ id: string }>,
): Pages {
  const page = pages[index]
  if (!page) return pages
  const following = pages[index + 1]
  const start = following?.after
  // Ids are UUIDv7, newest first: a greater one comes earlier.
  const size = start === undefined ? items.length : items.filter(({ id }) => id >= start).length
  const isGap = end !== undefined && (start === undefined || end > start)
  if (page.size === size && !isGap) return pages
  const between = isGap ? [{ after: end, size: undefined }] : []
  return [...pages.slice(0, index), { ...page, size }, ...between, ...pages.slice(index + 1)]
}

export const totalOf = (pages: Pages) => pages.reduce((sum, { size = 0 }) => sum + size, 0)

/** In which page a row is, and where in it. */
export function locate(pages: Pages, index: number): { page: number; offset: number } {
  let offset = index
  for (const [page, { size }] of pages.entries()) {
    if (size === undefined || offset < size) return { page, offset }
    offset -= size
  }
  return { page: Math.max(0, pages.length - 1), offset }
}

/** The pages that rows from the newest to the oldest of a range are in. */
export const pagesBetween = (pages: Pages, newest: string, oldest: string): number[] =>
  [...pages.keys()].filter((page) => {
    const start = pages[page]?.after
    const end = pages[page + 1]?.after
    return (start === undefined || start > oldest) && (end === undefined || end <= newest)
  })
