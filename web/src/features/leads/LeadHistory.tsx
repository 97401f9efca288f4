import { Text, Title } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { listLeadHistoryInfiniteOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { keysetPaging } from '../../lib/keyset-paging.ts'
import { ListOf } from '../../ui/ListOf.tsx'
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
  const labels = useOwnLabels().all
  const pages = useInfiniteQuery({
    ...listLeadHistoryInfiniteOptions({ path: { id }, query: { limit: 50 } }),
    ...keysetPaging,
    initialPageParam: { path: { id } },
  })
  return (
    <section>
      <Title order={3} mb={4}>
        {t(($) => $.leads.panel.history)}
      </Title>
      <ListOf
        query={pages}
        rows={4}
        empty={
          <Text size="sm" c="dimmed">
            {t(($) => $.leads.panel.noHistory)}
          </Text>
        }
      >
        {(items) =>
          items.map((item) => (
            <HistoryItem
              key={item.id}
              item={item}
              labels={labels}
              conversation={hasConversation ? id : undefined}
            />
          ))
        }
      </ListOf>
    </section>
  )
}
