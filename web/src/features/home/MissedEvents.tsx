import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { countMissedEventsOptions } from '../../api/generated/@tanstack/react-query.gen.ts'

/** It is not counted further: so many are replayed at once. */
const countedMax = 100_000

/** How many events a webhook that was switched off has missed; the page of it offers them again. */
export function MissedEvents({ id }: { id: string }) {
  const { t } = useTranslation()
  const missed = useQuery({
    ...countMissedEventsOptions({ path: { id } }),
    staleTime: 60_000,
  })
  if (!missed.data) return null
  const { deliveries: count } = missed.data
  if (count > countedMax) return <> {t(($) => $.home.attention.missedMany)}</>
  return <> {t(($) => $.home.attention.missed, { count })}</>
}
