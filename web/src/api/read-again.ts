import type { Query, QueryClient } from '@tanstack/react-query'
import type * as sdk from './generated/sdk.gen.ts'

/** An operation that reads, by its id. */
export type ReadOperation = keyof typeof sdk

export function isOf(operations: readonly ReadOperation[], { queryKey: [first] }: Query): boolean {
  const { _id } = (first ?? {}) as { _id?: string }
  return operations.some((id) => id === _id)
}

/** After something was done, without waiting for the server to say so. */
export const readAgain = (cache: QueryClient, operations: readonly ReadOperation[]) =>
  cache.invalidateQueries({ predicate: (query) => isOf(operations, query) })
