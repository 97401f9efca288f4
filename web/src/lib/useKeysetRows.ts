import { type QueryKey, useQueries, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Fault } from '../api/fault.ts'
import {
  firstPages,
  type KeysetPage,
  locate,
  type Pages,
  pagesBetween,
  totalOf,
  withPage,
} from './known-pages.ts'

interface KeysetSource<T> {
  /** The query key of the list with its filters; another one begins from the top. */
  key: QueryKey
  read: (startingAfter: string | undefined, signal: AbortSignal) => Promise<KeysetPage<T>>
}

export interface KeysetRows<T> {
  /** The list with its filters, as a text. */
  list: string
  /** How many rows are known. */
  count: number
  /** Undefined while it is not read yet, or not any more. */
  at: (index: number) => T | undefined
  /** Ids of two rows and of all between them, also of pages that were left long ago. */
  idsBetween: (one: string, other: string) => Promise<string[]>
  /** Says which rows are on the screen: their pages are kept fresh, and the next one is read ahead. */
  show: (from: number, to: number) => void
  hasMore: boolean
  /** Nothing is known yet. */
  isPending: boolean
  fault: Fault | null
  retry: () => void
}

/**
 * A list that is read newest first, however long. Each page is a query of its own, known by where it
 * starts, and only those on the screen are alive: after a change two or three are read again. An
 * infinite query would read again all that were ever scrolled past.
 */
export function useKeysetRows<T extends { id: string }>(source: KeysetSource<T>): KeysetRows<T> {
  const cache = useQueryClient()
  const list = JSON.stringify(source.key)
  const [known, setKnown] = useState<{ list: string; pages: Pages }>({ list, pages: firstPages })
  const pages = known.list === list ? known.pages : firstPages
  const [shown, setShown] = useState({ first: 0, last: 0 })

  const keyOf = (page: number) => [...source.key, pages[page]?.after ?? null]
  const alive = pages.map((_, page) => page).slice(shown.first, shown.last + 2)
  const queryOf = (page: number) => ({
    queryKey: keyOf(page),
    queryFn: ({ signal }: { signal: AbortSignal }) => source.read(pages[page]?.after, signal),
  })
  const results = useQueries({ queries: alive.map(queryOf) })

  // From the last page to the first: a page that is put in between moves only those after it.
  const next = results.reduceRight(
    (all, { data }, index) => (data ? withPage(all, alive[index] ?? 0, data) : all),
    pages,
  )
  // Before it is drawn: else a row that has come up to the page before would stand in both for a moment.
  if (next !== pages) setKnown({ list, pages: next })

  const rowsOf = (page: number) => cache.getQueryData<KeysetPage<T>>(keyOf(page))?.items
  const failed = results.filter(({ error }) => error !== null)
  return {
    list,
    count: totalOf(pages),
    at(index) {
      const { page, offset } = locate(pages, index)
      return rowsOf(page)?.[offset]
    },
    async idsBetween(one, other) {
      const [newest, oldest] = one > other ? [one, other] : [other, one]
      const ids: string[] = []
      for (const page of pagesBetween(pages, newest, oldest)) {
        const { items } = await cache.ensureQueryData(queryOf(page))
        ids.push(...items.map(({ id }) => id).filter((id) => id <= newest && id >= oldest))
      }
      return ids
    },
    show(from, to) {
      const wanted = { first: locate(pages, from).page, last: locate(pages, to).page }
      if (wanted.first !== shown.first || wanted.last !== shown.last) setShown(wanted)
    },
    hasMore: pages.at(-1)?.size === undefined,
    isPending: pages[0]?.size === undefined,
    fault: failed[0]?.error ?? null,
    retry: () => failed.forEach(({ refetch }) => void refetch()),
  }
}
