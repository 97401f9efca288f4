import { Button, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { MailAddress } from '../../ui/MailAddress.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { StateBadge, type Tone } from '../../ui/StateBadge.tsx'
import { type Entry, isErased } from './entry.ts'

const tones: Record<Entry['reason'], Tone> = {
  unsubscribed: 'red',
  bounced: 'red',
  blocked: 'gray',
}

interface SuppressionRowProps {
  entry: Entry
  /** Undefined for who may only look. */
  onLift: (() => void) | undefined
}

export function SuppressionRow({ entry, onLift }: SuppressionRowProps) {
  const { t } = useTranslation()
  const { value, kind, reason, timestamp_created } = entry
  return (
    <tr>
      <th scope="row">
        {isErased(entry) ? <em>{t(($) => $.leads.erased)}</em> : <MailAddress value={value} />}
        {kind === 'domain' && (
          <Text size="xs" c="dimmed">
            {t(($) => $.suppression.wholeDomain)}
          </Text>
        )}
        <Text className="narrow-only" size="xs" c="dimmed" fw={400}>
          {t(($) => $.suppression.columns.since)} <RelativeTime at={timestamp_created} />
        </Text>
      </th>
      <td>
        <StateBadge tone={tones[reason]}>{t(($) => $.suppression.reasons[reason].name)}</StateBadge>
      </td>
      <td className="wide-only">
        <RelativeTime at={timestamp_created} />
      </td>
      <td className="end">
        {onLift && !isErased(entry) && (
          <Button
            variant="subtle"
            size="compact-sm"
            aria-label={t(($) => $.suppression.lift.actionOn, { value })}
            onClick={onLift}
          >
            {t(($) => $.suppression.lift.action)}
          </Button>
        )}
      </td>
    </tr>
  )
}
