import { AppError, type ErrorDetail } from '../errors.ts'

/** One page of records, newest first. */
export interface Page<T> {
  items: T[]
  next_starting_after?: string
}

export interface PageRequest {
  limit: number
  startingAfter: string | undefined
}

/** Records of a page, as asked for at most, and where nobody says how many. */
export const pageMax = 100
export const pageDefault = 25

export const cursorMessage = 'starting_after must be the next_starting_after of the previous page.'

export const invalidCursor = (more: { details?: ErrorDetail[] } = {}) =>
  new AppError('invalid_cursor', cursorMessage, more)

export const pageRequest = (query: { limit?: number; starting_after?: string }): PageRequest => ({
  limit: query.limit ?? pageDefault,
  startingAfter: query.starting_after,
})

interface SizedRows<T> {
  /** How many are read by one statement. */
  together: number
  /** A page is answered in one turn of the process, so it ends after so much. */
  bytesMax: number
  bytesOf: (row: T) => number
  /** One row more than `limit`. */
  read: (page: PageRequest) => Promise<T[]>
}

/** A page of what may be large. It may end before its limit; there is a next one then. */
export async function readSizedPage<T extends { id: string }>(
  { limit, startingAfter }: PageRequest,
  { together, bytesMax, bytesOf, read }: SizedRows<T>,
): Promise<Page<T>> {
  const rows: T[] = []
  let bytes = 0
  for (;;) {
    const most = Math.min(together, limit + 1 - rows.length)
    const next = await read({ limit: most - 1, startingAfter: rows.at(-1)?.id ?? startingAfter })
    for (const row of next) {
      rows.push(row)
      if (bytes >= bytesMax) return toPage(rows, rows.length - 1)
      bytes += bytesOf(row)
    }
    if (next.length < most || rows.length > limit) return toPage(rows, limit)
  }
}

/** Statements read one row more than a page holds: its presence tells that another page exists. */
export function toPage<T extends { id: string }>(rows: T[], limit: number): Page<T>
export function toPage<T>(rows: T[], limit: number, cursorOf: (row: T) => string): Page<T>
export function toPage<T>(rows: T[], limit: number, cursorOf = idOf as (row: T) => string) {
  if (rows.length <= limit) return { items: rows }
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return last ? { items, next_starting_after: cursorOf(last) } : { items }
}

const idOf = ({ id }: { id: string }) => id

/** Every page of a list in one. */
export async function readAll<T>(
  list: (page: PageRequest) => Promise<Page<T>>,
): Promise<{ items: T[] }> {
  const items: T[] = []
  let startingAfter: string | undefined
  do {
    const page = await list({ limit: pageMax, startingAfter })
    items.push(...page.items)
    startingAfter = page.next_starting_after
  } while (startingAfter)
  return { items }
}
