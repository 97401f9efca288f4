import { Code, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { AuditEntry } from '../../api/generated/types.gen.ts'
import { Moment } from '../../ui/Moment.tsx'
import classes from './AuditRow.module.css'

interface AuditRowProps {
  entry: AuditEntry
  /** In words. */
  actor: string
}

export function AuditRow({ entry, actor }: AuditRowProps) {
  const { t } = useTranslation()
  const { action, actor_type, subject_id, details } = entry
  return (
    <tr>
      <td className={classes.when}>
        <Moment at={entry.timestamp_created} />
      </td>
      <td>
        <Text size="sm">{actor}</Text>
        {actor_type === 'key' && (
          <Text size="xs" c="dimmed">
            {t(($) => $.audit.byKey)}
          </Text>
        )}
      </td>
      <td>
        <Text size="sm">{inWords(action)}</Text>
        {subject_id && (
          <Text size="xs" c="dimmed" ff="monospace" title={subject_id}>
            {subject_id.slice(-12)}
          </Text>
        )}
      </td>
      <td className={`${classes.details} wide-only`}>
        {Object.entries(details).map(([name, value]) => (
          <span key={name}>
            {name} <Code>{shown(value)}</Code>
          </span>
        ))}
      </td>
    </tr>
  )
}

/** `key.created` is "Key created": actions are a resource and a past tense, and grow with the server. */
function inWords(action: string): string {
  const words = action.replaceAll(/[._]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const shown = (value: unknown) =>
  Array.isArray(value) ? value.join(', ') : value === null ? '–' : String(value)
