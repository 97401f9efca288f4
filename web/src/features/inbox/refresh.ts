import type { QueryClient } from '@tanstack/react-query'

const operations = new Set(['listThreads', 'countThreads', 'getThread', 'getLead'])

/** Lists, counts and what is open, after something of the inbox has changed. */
export const readInboxAgain = (cache: QueryClient) =>
  cache.invalidateQueries({
    predicate: ({ queryKey: [first] }) =>
      typeof first === 'object' &&
      first !== null &&
      '_id' in first &&
      operations.has(`${first._id}`),
  })
