import type { Query, QueryClient } from '@tanstack/react-query'
import type * as operations from './generated/sdk.gen.ts'

/** An operation that reads, by its id. */
export type Reading = keyof typeof operations

export function isOf(readings: readonly Reading[], { queryKey: [first] }: Query): boolean {
  const { _id } = (first ?? {}) as { _id?: string }
  return readings.some((id) => id === _id)
}

/** After something was done, without waiting for the server to say so. */
export const readAgain = (cache: QueryClient, readings: readonly Reading[]) =>
  cache.invalidateQueries({ predicate: (query) => isOf(readings, query) })
