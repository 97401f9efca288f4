import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import { listWebhooksInfiniteQueryKey } from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Webhook } from '../../api/generated/types.gen.ts'

type Pages = InfiniteData<{ items: Webhook[] }>

/** As the list had it, for who comes from there: its page need not wait for one more answer. */
export const knownWebhook = (cache: QueryClient, id: string): Webhook | undefined =>
  cache
    .getQueriesData<Pages>({ queryKey: listWebhooksInfiniteQueryKey() })
    .flatMap(([, data]) => data?.pages.flatMap(({ items }) => items) ?? [])
    .find((webhook) => webhook.id === id)
