import type { ReactNode } from 'react'
import type { Fault } from '../api/fault.ts'
import { LoadingRows } from './LoadingRows.tsx'
import { QueryFault } from './QueryFault.tsx'

export interface ReadQuery<Data> {
  isPending: boolean
  data: Data | undefined
  error: Fault | null
  refetch: () => unknown
}

export interface Pending {
  /** How many rows stand for what is coming. */
  rows?: number
  /** What stands for it in their place. */
  pending?: ReactNode
}

interface ReadProps<Data> extends Pending {
  query: ReadQuery<Data>
  children: (data: Data) => ReactNode
}

/** What a query reads, while it is coming and when it cannot be read: what was read before stays. */
export function Read<Data>({ query, rows = 1, pending, children }: ReadProps<Data>) {
  const { isPending, data } = query
  if (isPending) return pending ?? <LoadingRows rows={rows} />
  return (
    <>
      <QueryFault query={query} />
      {data !== undefined && children(data)}
    </>
  )
}
