import { useTranslation } from 'react-i18next'
import type { Webhook, WebhookHealth } from '../../api/generated/types.gen.ts'
import { StateBadge } from '../../ui/StateBadge.tsx'

interface WebhookStateProps {
  webhook: Webhook
  /** Undefined until it is read. */
  health: WebhookHealth | undefined
}

/** Whether events are delivered, and if not, who ended it. */
export function WebhookState({ webhook, health }: WebhookStateProps) {
  const { t } = useTranslation()
  if (webhook.status === 'active') {
    return health?.failing_since ? (
      <StateBadge tone="amber">{t(($) => $.webhooks.state.failing)}</StateBadge>
    ) : (
      // It is known to be on, and not yet to do well.
      <StateBadge tone={health ? 'green' : 'gray'}>{t(($) => $.webhooks.state.active)}</StateBadge>
    )
  }
  return webhook.disabled_reason === 'manual' ? (
    <StateBadge tone="amber">{t(($) => $.webhooks.state.paused)}</StateBadge>
  ) : (
    <StateBadge tone="red">{t(($) => $.webhooks.state.off)}</StateBadge>
  )
}
