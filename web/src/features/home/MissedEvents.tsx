import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { countMissedEventsOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { replayMax } from '../webhooks/index.ts'

/** Each event since is looked at, so not at every visit. */
const keptMs = 600_000

/** How many events a webhook that was switched off has missed; the page of it offers them again. */
export function MissedEvents({ id }: { id: string }) {
  const { t } = useTranslation()
  const missed = useQuery({
    ...countMissedEventsOptions({ path: { id } }),
    staleTime: keptMs,
    gcTime: keptMs,
  })
  if (!missed.data) return null
  const { deliveries: count, is_estimate } = missed.data
  if (count > replayMax) return <> {t(($) => $.home.attention.missedMany)}</>
  if (is_estimate && count === 0) return null
  return <> {t(($) => $.home.attention[is_estimate ? 'missedAtLeast' : 'missed'], { count })}</>
}
