import { Button, Code, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { ServiceAccountKey } from '../../api/generated/types.gen.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { StateBadge, type Tone } from '../../ui/StateBadge.tsx'
import { KeyCreator } from './KeyCreator.tsx'

const tones: Record<ServiceAccountKey['status'], Tone> = {
  active: 'green',
  expired: 'amber',
  revoked: 'gray',
}

interface KeyRowProps {
  apiKey: ServiceAccountKey
  onRevoke: () => void
}

export function KeyRow({ apiKey, onRevoke }: KeyRowProps) {
  const { t } = useTranslation()
  const { name, key_prefix, scopes, status } = apiKey
  const timeOrNever = (at: string | null) =>
    at === null ? t(($) => $.common.never) : <RelativeTime at={at} />
  return (
    <tr>
      <th scope="row">
        {name}
        <Text className="narrow-only" size="xs" c="dimmed" ff="monospace">
          {key_prefix}…
        </Text>
        <Text className="narrow-only" size="xs" c="dimmed" fw={400}>
          {scopes.join(', ')}
        </Text>
        <Text className="narrow-only" size="xs" c="dimmed" fw={400}>
          {t(($) => $.keys.columns.lastUsed)}: {timeOrNever(apiKey.timestamp_last_used)}
          {' · '}
          {t(($) => $.keys.columns.expires)}: {timeOrNever(apiKey.timestamp_expires)}
          {' · '}
          {t(($) => $.keys.columns.madeBy)}: <KeyCreator apiKey={apiKey} />
        </Text>
      </th>
      <td className="wide-only">
        <Code className="numbers">{key_prefix}…</Code>
      </td>
      <td className="wide-only">
        <Text size="sm" lineClamp={2}>
          {scopes.join(', ')}
        </Text>
      </td>
      <td className="wide-only">
        <KeyCreator apiKey={apiKey} />
      </td>
      <td className="wide-only">{timeOrNever(apiKey.timestamp_last_used)}</td>
      <td className="wide-only">{timeOrNever(apiKey.timestamp_expires)}</td>
      <td>
        <StateBadge tone={tones[status]}>{t(($) => $.keys.status[status])}</StateBadge>
      </td>
      <td className="end">
        <Button
          variant="subtle"
          size="compact-sm"
          color="red"
          aria-label={t(($) => $.keys.revoke.actionOn, { name })}
          onClick={onRevoke}
        >
          {t(($) => $.keys.revoke.action)}
        </Button>
      </td>
    </tr>
  )
}
