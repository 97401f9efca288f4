import { Button, Group, NativeSelect, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { readCampaignAnalyticsOptions } from '../../../api/generated/@tanstack/react-query.gen.ts'
import { saveFile } from '../../../lib/save-file.ts'
import { dayIn, dayWithWeekday } from '../../../lib/time.ts'
import { DayBars } from '../../../ui/DayBars.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { LoadingRows } from '../../../ui/LoadingRows.tsx'
import { QueryFault } from '../../../ui/QueryFault.tsx'
import { periods } from '../search.ts'
import { letterOf } from '../steps/edit-steps.ts'
import { useDraft } from '../useDraft.ts'
import { OutcomeTable } from './OutcomeTable.tsx'
import { byNumbers, csvOf, daysBetween, type Item, sumOf, sumsBy } from './sums.ts'

const route = getRouteApi('/signed-in/w/$handle/campaigns/$id')

/** What the mails came to, by step and variant with the count behind every rate, and by day. */
export function AnalyticsTab() {
  const { t } = useTranslation()
  const { campaign } = useDraft()
  const { days = 30 } = route.useSearch()
  const navigate = route.useNavigate()
  const zone = campaign.campaign_schedule.schedules[0]?.timezone ?? 'UTC'
  const analytics = useQuery(
    readCampaignAnalyticsOptions({
      path: { id: campaign.id },
      query: { from: dayIn(zone, 1 - days) },
    }),
  )
  if (analytics.isPending) return <LoadingRows rows={6} />
  if (!analytics.data) return <QueryFault query={analytics} />
  const { items, timezone, from, to } = analytics.data
  const nameOf = ({ step, variant }: Item) => {
    if (step === null) return t(($) => $.campaigns.analytics.removed)
    if (variant === null) return t(($) => $.campaigns.analytics.removedVariant, { step })
    return t(($) => $.campaigns.mails.step, { step, variant: letterOf(variant) })
  }
  const bySteps = sumsBy(items.toSorted(byNumbers), nameOf)
  const byDays = sumsBy(items, ({ day }) => day)
  return (
    <Stack>
      <QueryFault query={analytics} />
      <Group justify="space-between">
        <NativeSelect
          aria-label={t(($) => $.campaigns.analytics.period)}
          value={String(days)}
          onChange={(event) =>
            void navigate({
              search: { tab: 'analytics', days: Number(event.currentTarget.value) },
              replace: true,
            })
          }
          data={periods.map((each) => ({
            value: String(each),
            label: t(($) => $.campaigns.analytics.lastDays, { count: each }),
          }))}
        />
        {items.length > 0 && (
          <Button
            variant="default"
            leftSection={<Download size="1rem" aria-hidden />}
            onClick={() => {
              const csv = new Blob([csvOf(items)], { type: 'text/csv;charset=utf-8' })
              saveFile(`${campaign.name} ${from} ${to}.csv`, csv)
            }}
          >
            {t(($) => $.campaigns.analytics.csv)}
          </Button>
        )}
      </Group>
      {items.length === 0 ? (
        <EmptyState
          title={t(($) => $.campaigns.analytics.empty.title)}
          body={t(($) => $.campaigns.analytics.empty.body)}
        />
      ) : (
        <>
          <div>
            <Title order={2}>{t(($) => $.campaigns.analytics.bySteps)}</Title>
            <Text size="xs" c="dimmed">
              {t(($) => $.campaigns.analytics.hint, { zone: timezone })}
            </Text>
          </div>
          <OutcomeTable
            label={t(($) => $.campaigns.analytics.bySteps)}
            first={t(($) => $.campaigns.analytics.mail)}
            rows={bySteps.map(([name, sums]) => ({ name, sums }))}
            total={sumOf(items)}
            hasRates
          />
          <Title order={2}>{t(($) => $.campaigns.analytics.byDays)}</Title>
          <DayBars
            label={t(($) => $.campaigns.analytics.chart)}
            series={[{ label: t(($) => $.campaigns.analytics.outcomes.sent), tone: 'blue' }]}
            days={daysBetween(from, to).map((date) => ({
              date,
              counts: [byDays.find(([day]) => day === date)?.[1].sent ?? 0],
            }))}
          />
          <OutcomeTable
            label={t(($) => $.campaigns.analytics.byDays)}
            first={t(($) => $.campaigns.launch.day)}
            rows={byDays.map(([day, sums]) => ({ name: dayWithWeekday(day), sums })).toReversed()}
          />
        </>
      )}
    </Stack>
  )
}
