import type { ReactNode } from 'react'
import type { Fault } from '../api/fault.ts'
import { LoadingRows } from './LoadingRows.tsx'
import { MoreButton } from './MoreButton.tsx'
import { ReadingFault } from './ReadingFault.tsx'

interface Items<Item> {
  items: Item[]
}

interface Reading<Data> {
  isPending: boolean
  data: Data | undefined
  error: Fault | null
  refetch: () => unknown
}

interface Pages<Item> extends Reading<{ pages: Items<Item>[] }> {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
}

interface ListOfProps<Item> {
  /** A query that is read page by page, or at once. */
  reading: Pages<Item> | Reading<Items<Item>>
  /** How many stand for those that are coming. */
  rows: number
  empty: ReactNode
  children: (items: Item[]) => ReactNode
}

/** The items of a list, or why there are none, and the next page of them. */
export function ListOf<Item>({ reading, rows, empty, children }: ListOfProps<Item>) {
  if (reading.isPending) return <LoadingRows rows={rows} />
  const { data } = reading
  const items = data && ('pages' in data ? data.pages.flatMap((page) => page.items) : data.items)
  // None were there when it was last read, and now it cannot be: nobody knows that there are none.
  if (!items || (items.length === 0 && reading.error)) return <ReadingFault reading={reading} />
  if (items.length === 0) return empty
  return (
    <>
      <ReadingFault reading={reading} />
      {children(items)}
      {'fetchNextPage' in reading && <MoreButton pages={reading} />}
    </>
  )
}
