/** One page of records, newest first. */
export interface Page<T> {
  items: T[]
  next_starting_after?: string
}

export interface PageRequest {
  limit: number
  startingAfter: string | undefined
}

export const pageRequest = (query: { limit?: number; starting_after?: string }): PageRequest => ({
  limit: query.limit ?? 25,
  startingAfter: query.starting_after,
})

/** Statements read one row more than a page holds: its presence tells that another page exists. */
export const toPage = <T extends { id: string }>(rows: T[], limit: number): Page<T> => {
  if (rows.length <= limit) return { items: rows }
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return last ? { items, next_starting_after: last.id } : { items }
}
