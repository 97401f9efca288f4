import type { Page, PageRequest } from '../kernel/http/page.ts'

/** Every page of a list in one. */
export async function readAll<T>(
  list: (page: PageRequest) => Promise<Page<T>>,
): Promise<{ items: T[] }> {
  const items: T[] = []
  let startingAfter: string | undefined
  do {
    const page = await list({ limit: 100, startingAfter })
    items.push(...page.items)
    startingAfter = page.next_starting_after
  } while (startingAfter)
  return { items }
}
