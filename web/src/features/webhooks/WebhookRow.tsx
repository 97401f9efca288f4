import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Webhook, WebhookHealth } from '../../api/generated/types.gen.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { useWorkspace } from '../users/index.ts'
import { AttemptStrip } from './AttemptStrip.tsx'
import classes from './WebhookRow.module.css'
import { WebhookState } from './WebhookState.tsx'

interface WebhookRowProps {
  webhook: Webhook
  /** Undefined until it is read. */
  health: WebhookHealth | undefined
  eventName: string
}

export function WebhookRow({ webhook, health, eventName }: WebhookRowProps) {
  const { t } = useTranslation()
  const { handle } = useWorkspace()
  const { id, name, disabled_reason, timestamp_disabled } = webhook
  const { host } = new URL(webhook.target_hook_url)
  return (
    <tr>
      <th scope="row">
        <Link
          className={classes.name}
          to="/w/$handle/settings/webhooks/$id"
          params={{ handle, id }}
          search={{}}
        >
          {name}
        </Link>
        <Text className="narrow-only" size="xs" c="dimmed">
          {eventName}
        </Text>
      </th>
      <td className={`${classes.host} wide-only`}>{host}</td>
      <td className="wide-only">{eventName}</td>
      <td className="wide-only">{health && <AttemptStrip recent={health.recent} />}</td>
      <td>
        <WebhookState webhook={webhook} health={health} />
        {disabled_reason && timestamp_disabled && (
          <Text size="xs" c="dimmed" mt={2}>
            {t(($) => $.webhooks.reasons[disabled_reason])} <RelativeTime at={timestamp_disabled} />
          </Text>
        )}
      </td>
    </tr>
  )
}
