import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import {
  listWebhookHealthInfiniteOptions,
  listWebhooksInfiniteOptions,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { keysetPaging } from '../../lib/keyset-paging.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ListOf } from '../../ui/ListOf.tsx'
import { QueryFault } from '../../ui/QueryFault.tsx'
import { Table } from '../../ui/Table.tsx'
import { TitleCount } from '../../ui/TitleCount.tsx'
import { useEventNames } from './useEventNames.ts'
import { WebhookRow } from './WebhookRow.tsx'

const ofPage = { query: { limit: 50 } }

/** Every webhook, newest first, with how it does. */
export function WebhookList({ whenEmpty }: { whenEmpty: ReactNode }) {
  const { t } = useTranslation()
  const { nameOf } = useEventNames()
  const webhooks = useInfiniteQuery({
    ...listWebhooksInfiniteOptions(ofPage),
    ...keysetPaging,
  })
  const health = useInfiniteQuery({
    ...listWebhookHealthInfiniteOptions(ofPage),
    ...keysetPaging,
  })
  const pages = {
    ...webhooks,
    fetchNextPage: () => Promise.all([webhooks.fetchNextPage(), health.fetchNextPage()]),
  }
  const known = new Map(
    health.data?.pages.flatMap((page) => page.items).map((each) => [each.id, each]),
  )
  return (
    <ListOf
      query={pages}
      rows={5}
      empty={
        <EmptyState
          title={t(($) => $.webhooks.empty.title)}
          body={t(($) => $.webhooks.empty.body)}
          action={whenEmpty}
        />
      }
    >
      {(items) => (
        <>
          <QueryFault query={health} />
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
        </>
      )}
    </ListOf>
  )
}
