import type { KeysetPage } from './known-pages.ts'

const most = 2000

interface PageOptions {
  query: { limit: number; starting_after?: string }
  signal: AbortSignal
}

/** A list from its first page to its last, to choose from; no further than anybody would look. */
export async function everyItem<T>(
  list: (options: PageOptions) => Promise<{ data: KeysetPage<T> }>,
  signal: AbortSignal,
): Promise<T[]> {
  const found: T[] = []
  let starting_after: string | undefined
  do {
    const query = { limit: 100, ...(starting_after ? { starting_after } : {}) }
    const { data } = await list({ query, signal })
    found.push(...data.items)
    starting_after = data.next_starting_after
  } while (starting_after && found.length < most)
  return found
}
