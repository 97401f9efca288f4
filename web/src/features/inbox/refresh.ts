import type { QueryClient } from '@tanstack/react-query'
import { readAgain } from '../../api/read-again.ts'

/** What was put off comes back at its time, and nothing happens then that the server could tell of. */
export const snoozeMs = 60_000

/** Lists, counts and what is open, after something of the inbox has changed. */
export const readInboxAgain = (cache: QueryClient) =>
  readAgain(cache, ['listThreads', 'countThreads', 'getThread', 'getLead'])
