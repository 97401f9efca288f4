import type { QueryClient } from '@tanstack/react-query'

const readings = ['listWebhooks', 'listWebhookHealth', 'getWebhook', 'getWebhookHealth']
const deliveries = ['listWebhookEvents', 'getWebhookEvent', 'listWebhookDays', 'getTryOut']

/** After something was done to a webhook, without waiting for the server to say so. */
export const readWebhookAgain = (cache: QueryClient) =>
  cache.invalidateQueries({
    predicate: ({ queryKey: [first] }) => {
      const { _id = '' } = (first ?? {}) as { _id?: string }
      return readings.includes(_id) || deliveries.includes(_id)
    },
  })
