import type { ReactNode } from 'react'
import { MoreButton } from './MoreButton.tsx'
import { type Pending, Read, type ReadQuery } from './Read.tsx'

interface Items<Item> {
  items: Item[]
}

interface Pages<Item> extends ReadQuery<{ pages: Items<Item>[] }> {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
}

interface ListOfProps<Item> extends Pending {
  /** A query that is read page by page, or at once. */
  query: Pages<Item> | ReadQuery<Items<Item>>
  empty: ReactNode
  children: (items: Item[]) => ReactNode
}

/** The items of a list, or why there are none, and the next page of them. */
export function ListOf<Item>({ query, empty, children, ...pending }: ListOfProps<Item>) {
  return (
    <Read<Items<Item> | { pages: Items<Item>[] }> query={query} {...pending}>
      {(data) => {
        const items = 'pages' in data ? data.pages.flatMap((page) => page.items) : data.items
        // None were there when it was last read, and now it cannot be: nobody knows that there are none.
        if (items.length === 0) return query.error ? null : empty
        return (
          <>
            {children(items)}
            {'fetchNextPage' in query && <MoreButton pages={query} />}
          </>
        )
      }}
    </Read>
  )
}
