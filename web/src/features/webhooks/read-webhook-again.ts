import type { QueryClient } from '@tanstack/react-query'
import { readAgain } from '../../api/read-again.ts'

/** After something was done to a webhook. */
export const readWebhookAgain = (cache: QueryClient) =>
  readAgain(cache, [
    ...(['listWebhooks', 'listWebhookHealth', 'getWebhook', 'getWebhookHealth'] as const),
    ...(['listWebhookEvents', 'getWebhookEvent', 'listWebhookDays', 'getTryOut'] as const),
    // How many it had missed when it was last looked at.
    'countMissedEvents',
  ])
