import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { listWebhookDaysOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { DayBars } from '../../ui/DayBars.tsx'
import { Read } from '../../ui/Read.tsx'

/** Attempts by day. */
export function WebhookDays({ id }: { id: string }) {
  const { t } = useTranslation()
  const days = useQuery({
    ...listWebhookDaysOptions({ path: { id } }),
    // Not with each delivery: a busy webhook has thousands a minute.
    refetchInterval: 60_000,
  })
  return (
    <Read query={days} pending={<Skeleton height={140} />}>
      {({ items }) => (
        <DayBars
          label={t(($) => $.webhooks.days.label)}
          height={120}
          series={[
            { label: t(($) => $.webhooks.days.delivered), tone: 'green' },
            { label: t(($) => $.webhooks.days.failed), tone: 'red' },
          ]}
          days={items.map(({ date, succeeded, failed }) => ({
            date,
            counts: [succeeded, failed],
          }))}
        />
      )}
    </Read>
  )
}
