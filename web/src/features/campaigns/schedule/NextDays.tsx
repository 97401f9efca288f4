import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { forecastCampaignOptions } from '../../../api/generated/@tanstack/react-query.gen.ts'
import { dayIn } from '../../../lib/time.ts'
import { DayBars } from '../../../ui/DayBars.tsx'
import { FaultNotice } from '../../../ui/FaultNotice.tsx'
import { LoadingRows } from '../../../ui/LoadingRows.tsx'
import { useDraft } from '../useDraft.ts'

/** The week ahead as the sender plans it, as of the last thing saved. */
export function NextDays() {
  const { t } = useTranslation()
  const { campaign } = useDraft()
  const forecast = useQuery({
    ...forecastCampaignOptions({ path: { id: campaign.id }, query: { days: 7 } }),
    placeholderData: (before) => before,
  })
  if (forecast.isPending) return <LoadingRows rows={3} />
  if (forecast.isError) {
    return <FaultNotice fault={forecast.error} onRetry={() => void forecast.refetch()} />
  }
  const { days, timezone, sends, unsent, ends } = forecast.data
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
