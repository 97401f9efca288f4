import { useTranslation } from 'react-i18next'
import type { Webhook } from '../../api/generated/types.gen.ts'
import { StateBadge } from '../../ui/StateBadge.tsx'

interface WebhookStateProps {
  webhook: Webhook
  isFailing: boolean
}

/** Whether events are delivered, and if not, who ended it. */
export function WebhookState({ webhook, isFailing }: WebhookStateProps) {
  const { t } = useTranslation()
  if (webhook.status === 'active') {
    return isFailing ? (
      <StateBadge tone="amber">{t(($) => $.webhooks.state.failing)}</StateBadge>
    ) : (
      <StateBadge tone="green">{t(($) => $.webhooks.state.active)}</StateBadge>
    )
  }
  return webhook.disabled_reason === 'manual' ? (
    <StateBadge tone="amber">{t(($) => $.webhooks.state.paused)}</StateBadge>
  ) : (
    <StateBadge tone="red">{t(($) => $.webhooks.state.off)}</StateBadge>
  )
}
