import { Skeleton, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { getAnalyticsOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { nowMs } from '../../lib/clock.ts'
import { DayBars } from '../../ui/DayBars.tsx'
import { ListOf } from '../../ui/ListOf.tsx'
import { dayCounts } from './day-counts.ts'
import classes from './Home.module.css'

const charts = [
  ['sent', 'blue'],
  ['replied', 'violet'],
  ['interested', 'green'],
  ['bounced', 'red'],
] as const

/** Thirty days of all campaigns together. Automatic replies are no replies. */
export function Charts() {
  const { t } = useTranslation()
  const id = useId()
  const analytics = useQuery(getAnalyticsOptions())
  return (
    <section aria-labelledby={id}>
      <Title order={2} id={id}>
        {t(($) => $.home.charts.title)}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t(($) => $.home.charts.zones)}
      </Text>
      <ListOf
        query={analytics}
        pending={
          <div className={classes.charts}>
            {charts.map(([what]) => (
              <Skeleton key={what} height={170} />
            ))}
          </div>
        }
        empty={<Text c="dimmed">{t(($) => $.home.charts.none)}</Text>}
      >
        {(items) => (
          <div className={classes.charts}>
            {charts.map(([what, tone]) => (
              <DayBars
                key={what}
                label={t(($) => $.home.charts[what])}
                series={[{ tone, label: t(($) => $.home.charts[what]) }]}
                days={dayCounts(items, what, new Date(nowMs()))}
              />
            ))}
          </div>
        )}
      </ListOf>
    </section>
  )
}
