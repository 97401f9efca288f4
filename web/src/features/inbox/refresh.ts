import type { QueryClient } from '@tanstack/react-query'
import { readAgain } from '../../api/read-again.ts'

/** How often pages ask again while conversations are snoozed: their end is no event to be told of. */
export const snoozePollMs = 60_000

/** Lists, counts and what is open, after something of the inbox has changed. */
export const readInboxAgain = (cache: QueryClient) =>
  readAgain(cache, ['listThreads', 'countThreads', 'getThread', 'getLead'])
