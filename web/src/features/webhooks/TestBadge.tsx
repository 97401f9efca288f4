import { useTranslation } from 'react-i18next'
import type { WebhookEvent } from '../../api/generated/types.gen.ts'
import { StateBadge } from '../../ui/StateBadge.tsx'

/** Beside an event with made-up data: its lead is nobody. */
export function TestBadge({ payload }: Pick<WebhookEvent, 'payload'>) {
  const { t } = useTranslation()
  return (
    payload.test === true && <StateBadge tone="gray">{t(($) => $.webhooks.log.test)}</StateBadge>
  )
}
