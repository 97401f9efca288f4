import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Webhook, WebhookHealth } from '../../api/generated/types.gen.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { AttemptStrip } from './AttemptStrip.tsx'
import classes from './HealthSentence.module.css'

interface HealthSentenceProps {
  webhook: Webhook
  /** Undefined until it is read. */
  health: WebhookHealth | undefined
}

/** How a webhook does, in a sentence, and what to do when it does not do well. */
export function HealthSentence({ webhook, health }: HealthSentenceProps) {
  const { t } = useTranslation()
  return (
    <div className={classes.health} aria-live="polite">
      {health && <AttemptStrip recent={health.recent} />}
      <Text size="sm">
        {health ? <Sentence webhook={webhook} health={health} /> : t(($) => $.common.loading)}
        {health && health.pending > 0 && (
          <> {t(($) => $.webhooks.health.pending, { count: health.pending })}</>
        )}
      </Text>
    </div>
  )
}

function Sentence({ webhook, health }: { webhook: Webhook; health: WebhookHealth }) {
  const { t } = useTranslation()
  const { disabled_reason, timestamp_disabled } = webhook
  const { failing_since, failures, timestamp_next_probe, recent } = health
  if (disabled_reason && timestamp_disabled) {
    return (
      <>
        {t(($) => $.webhooks.off[disabled_reason])} <RelativeTime at={timestamp_disabled} />.{' '}
        {t(($) => $.webhooks.health.resume)}
      </>
    )
  }
  if (failing_since) {
    return (
      <>
        {t(($) => $.webhooks.health.failing, { count: failures })}{' '}
        <RelativeTime at={failing_since} />.
        {timestamp_next_probe && (
          <>
            {' '}
            {t(($) => $.webhooks.health.probe)} <RelativeTime at={timestamp_next_probe} isAhead />.
          </>
        )}
      </>
    )
  }
  if (recent.length === 0) return t(($) => $.webhooks.health.nothing)
  const succeeded = recent.filter(({ success }) => success).length
  return succeeded === recent.length
    ? t(($) => $.webhooks.health.well, { count: recent.length })
    : t(($) => $.webhooks.health.mostly, { succeeded, count: recent.length })
}
