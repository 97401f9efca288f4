import type { QueryClient } from '@tanstack/react-query'
import { readAgain } from '../../api/read-again.ts'

/** Lists, counts and what is open, after something of the inbox has changed. */
export const readInboxAgain = (cache: QueryClient) =>
  readAgain(cache, ['listThreads', 'countThreads', 'getThread', 'getLead'])
