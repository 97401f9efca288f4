import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import {
  listWebhookHealthInfiniteOptions,
  listWebhooksInfiniteOptions,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { LoadingRows } from '../../ui/LoadingRows.tsx'
import { MoreButton } from '../../ui/MoreButton.tsx'
import { ReadingFault } from '../../ui/ReadingFault.tsx'
import { Table } from '../../ui/Table.tsx'
import { TitleCount } from '../../ui/TitleCount.tsx'
import { useEventNames } from './useEventNames.ts'
import { WebhookRow } from './WebhookRow.tsx'

const paged = { query: { limit: 50 } }

/** Every webhook, newest first, with how it does. */
export function WebhookList({ whenEmpty }: { whenEmpty: ReactNode }) {
  const { t } = useTranslation()
  const { nameOf } = useEventNames()
  const webhooks = useInfiniteQuery({
    ...listWebhooksInfiniteOptions(paged),
    initialPageParam: {},
    getNextPageParam: (page) => page.next_starting_after,
  })
  const health = useInfiniteQuery({
    ...listWebhookHealthInfiniteOptions(paged),
    initialPageParam: {},
    getNextPageParam: (page) => page.next_starting_after,
  })
  const pages = {
    ...webhooks,
    fetchNextPage: () => Promise.all([webhooks.fetchNextPage(), health.fetchNextPage()]),
  }
  if (webhooks.isPending) return <LoadingRows rows={5} />
  if (!webhooks.data) return <ReadingFault reading={webhooks} />
  const items = webhooks.data.pages.flatMap((page) => page.items)
  if (items.length === 0 && webhooks.isError) return <ReadingFault reading={webhooks} />
  if (items.length === 0) {
    return (
      <EmptyState
        title={t(($) => $.webhooks.empty.title)}
        body={t(($) => $.webhooks.empty.body)}
        action={whenEmpty}
      />
    )
  }
  const known = new Map(
    health.data?.pages.flatMap((page) => page.items).map((each) => [each.id, each]),
  )
  return (
    <>
      <ReadingFault reading={webhooks} />
      <TitleCount count={items.length} hasMore={webhooks.hasNextPage} />
      <Table label={t(($) => $.webhooks.title)}>
        <thead>
          <tr>
            <th>{t(($) => $.webhooks.columns.name)}</th>
            <th className="wide-only">{t(($) => $.webhooks.columns.host)}</th>
            <th className="wide-only">{t(($) => $.webhooks.columns.event)}</th>
            <th className="wide-only">{t(($) => $.webhooks.columns.recent)}</th>
            <th>{t(($) => $.webhooks.columns.state)}</th>
          </tr>
        </thead>
        <tbody>
          {items.map((webhook) => (
            <WebhookRow
              key={webhook.id}
              webhook={webhook}
              health={known.get(webhook.id)}
              eventName={nameOf(webhook.event_type)}
            />
          ))}
        </tbody>
      </Table>
      <MoreButton pages={pages} />
    </>
  )
}
