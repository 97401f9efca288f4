import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { countWebhookReplayOptions } from '../../api/generated/@tanstack/react-query.gen.ts'

/** How many events a webhook has missed since it was switched off; the page of it offers them again. */
export function MissedEvents({ id, since }: { id: string; since: string }) {
  const { t } = useTranslation()
  const missed = useQuery({
    ...countWebhookReplayOptions({ path: { id }, query: { from: since } }),
    staleTime: 60_000,
  })
  if (!missed.data) return null
  return <> {t(($) => $.home.attention.missed, { count: missed.data.deliveries })}</>
}
