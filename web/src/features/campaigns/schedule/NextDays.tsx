import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { forecastCampaignQueryKey } from '../../../api/generated/@tanstack/react-query.gen.ts'
import { forecastCampaign } from '../../../api/generated/sdk.gen.ts'
import type { CampaignForecast } from '../../../api/generated/types.gen.ts'
import { dayIn } from '../../../lib/time.ts'
import { DayBars } from '../../../ui/DayBars.tsx'
import { Read } from '../../../ui/Read.tsx'
import { useDraft } from '../useDraft.ts'

/** The week ahead as the sender plans it, as of the last thing saved. */
export function NextDays() {
  const { base } = useDraft()
  const week = { path: { id: base.id }, query: { days: 7 } }
  const forecast = useQuery({
    // Whoever saves it, here or elsewhere, makes another version of the campaign.
    queryKey: [...forecastCampaignQueryKey(week), base.timestamp_updated],
    queryFn: async ({ signal }) => (await forecastCampaign({ ...week, signal })).data,
    placeholderData: (before) => before,
  })
  return (
    <Read query={forecast} rows={3}>
      {(data) => <Days forecast={data} />}
    </Read>
  )
}

function Days({ forecast }: { forecast: CampaignForecast }) {
  const { t } = useTranslation()
  const { days, timezone, sends, unsent, ends } = forecast
  if (sends === 0) {
    return (
      <Text size="sm">
        {unsent === 0
          ? t(($) => $.campaigns.launch.nothing)
          : ends === 'schedule_ended'
            ? t(($) => $.campaigns.schedule.ended, { count: unsent })
            : t(($) => $.campaigns.schedule.later, { count: unsent })}
      </Text>
    )
  }
  const week = Array.from({ length: 7 }, (_, after) => {
    const date = dayIn(timezone, after)
    return { date, counts: [days.find((day) => day.date === date)?.sends ?? 0] }
  })
  return (
    <>
      <DayBars
        label={t(($) => $.campaigns.launch.mails, { count: sends })}
        series={[{ label: t(($) => $.campaigns.tabs.mails), tone: 'blue' }]}
        days={week}
      />
      <Text size="xs" c="dimmed">
        {t(($) => $.campaigns.launch.hint, { zone: timezone })}
      </Text>
    </>
  )
}
