import { Text, Title } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  listLeadHistoryInfiniteOptions,
  listMembersOptions,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { keysetPaging } from '../../lib/keyset-paging.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { LoadingRows } from '../../ui/LoadingRows.tsx'
import { MoreButton } from '../../ui/MoreButton.tsx'
import { useOwnLabels } from '../labels/index.ts'
import { HistoryItem } from './HistoryItem.tsx'

interface LeadHistoryProps {
  id: string
  /** Its mails lead to the conversation in the inbox. */
  hasConversation: boolean
}

/** Mails, events, deliveries and changes in one line of time, newest first. */
export function LeadHistory({ id, hasConversation }: LeadHistoryProps) {
  const { t } = useTranslation()
  const members = useQuery(listMembersOptions())
  const labels = useOwnLabels().all
  const pages = useInfiniteQuery({
    ...listLeadHistoryInfiniteOptions({ path: { id }, query: { limit: 50 } }),
    ...keysetPaging,
    initialPageParam: { path: { id } },
  })
  const items = pages.data?.pages.flatMap((page) => page.items) ?? []
  const nameOf = (userId: string | null) =>
    members.data?.items.find((member) => member.id === userId)?.name
  return (
    <section>
      <Title order={3} mb={4}>
        {t(($) => $.leads.panel.history)}
      </Title>
      {pages.isPending && <LoadingRows rows={4} />}
      {pages.isError && <FaultNotice fault={pages.error} onRetry={() => void pages.refetch()} />}
      {pages.isSuccess && items.length === 0 && (
        <Text size="sm" c="dimmed">
          {t(($) => $.leads.panel.noHistory)}
        </Text>
      )}
      {items.map((item) => (
        <HistoryItem
          key={item.id}
          item={item}
          labels={labels}
          actor={nameOf(item.actor_id)}
          conversation={hasConversation ? id : undefined}
        />
      ))}
      <MoreButton pages={pages} />
    </section>
  )
}
