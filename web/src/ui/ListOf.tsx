import type { ReactNode } from 'react'
import type { Fault } from '../api/fault.ts'
import { LoadingRows } from './LoadingRows.tsx'
import { MoreButton } from './MoreButton.tsx'
import { QueryFault } from './QueryFault.tsx'

interface Items<Item> {
  items: Item[]
}

interface ListQuery<Data> {
  isPending: boolean
  data: Data | undefined
  error: Fault | null
  refetch: () => unknown
}

interface Pages<Item> extends ListQuery<{ pages: Items<Item>[] }> {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
}

interface ListOfProps<Item> {
  /** A query that is read page by page, or at once. */
  query: Pages<Item> | ListQuery<Items<Item>>
  /** How many stand for those that are coming. */
  rows: number
  empty: ReactNode
  children: (items: Item[]) => ReactNode
}

/** The items of a list, or why there are none, and the next page of them. */
export function ListOf<Item>({ query, rows, empty, children }: ListOfProps<Item>) {
  if (query.isPending) return <LoadingRows rows={rows} />
  const { data } = query
  const items = data && ('pages' in data ? data.pages.flatMap((page) => page.items) : data.items)
  // None were there when it was last read, and now it cannot be: nobody knows that there are none.
  if (!items || (items.length === 0 && query.error)) return <QueryFault query={query} />
  if (items.length === 0) return empty
  return (
    <>
      <QueryFault query={query} />
      {children(items)}
      {'fetchNextPage' in query && <MoreButton pages={query} />}
    </>
  )
}
