import type { KeysetPage } from './keyset-pages.ts'

const most = 2000

/** A list from its first page to its last, to choose from; no further than anybody would look. */
export async function everyItem<T>(
  read: (query: { limit: number; starting_after?: string }) => Promise<KeysetPage<T>>,
): Promise<T[]> {
  const found: T[] = []
  let starting_after: string | undefined
  do {
    const page = await read({ limit: 100, ...(starting_after ? { starting_after } : {}) })
    found.push(...page.items)
    starting_after = page.next_starting_after
  } while (starting_after && found.length < most)
  return found
}
