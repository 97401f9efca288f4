import { Code, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { AuditEntry } from '../../api/generated/types.gen.ts'
import { capitalized } from '../../lib/text.ts'
import type texts from '../../texts/en.json'
import { ExactTime } from '../../ui/ExactTime.tsx'
import { PathLink } from '../../ui/PathLink.tsx'
import { type PageName, pagePath } from '../links/index.ts'
import { useWorkspace } from '../users/index.ts'
import classes from './AuditRow.module.css'
import type { AuditFilter } from './search.ts'
import { useActorName } from './useActorName.ts'

/** The page that shows what was changed, by its kind; the record may be gone since. */
const pageOf: Record<string, PageName> = {
  ...{ campaign: 'campaign', lead: 'lead', mailbox: 'mailbox' },
  ...{ thread: 'conversation', webhook: 'webhook' },
}

interface AuditRowProps {
  entry: AuditEntry
  /** What is looked at besides who did it. */
  filter: AuditFilter
}

export function AuditRow({ entry, filter }: AuditRowProps) {
  const { t } = useTranslation()
  const { handle } = useWorkspace()
  const nameOf = useActorName()
  const { action, actor_type, actor_id, subject_type, subject_id, details } = entry
  const page = pageOf[subject_type]
  const facts = Object.entries(details).map(([name, value]) => (
    <span key={name}>
      {name} <Code>{shown(value)}</Code>
    </span>
  ))
  const who = (
    <>
      <Text size="sm">
        {actor_id ? (
          <Link
            to="/w/$handle/settings/audit"
            params={{ handle }}
            search={{ ...filter, by: actor_id }}
            className={classes.who}
          >
            {nameOf(entry)}
          </Link>
        ) : (
          nameOf(entry)
        )}
      </Text>
      {actor_type === 'key' && (
        <Text size="xs" c="dimmed">
          {t(($) => $.audit.byKey)}
        </Text>
      )}
    </>
  )
  return (
    <tr>
      <td className={classes.when}>
        <ExactTime at={entry.timestamp_created} />
        <div className="narrow-only">{who}</div>
      </td>
      <td className="wide-only">{who}</td>
      <td>
        <Text size="sm" className={classes.what}>
          {t(($) => $.audit.actions[action as Action], { defaultValue: spelledOut(action) })}
        </Text>
        {subject_id && (
          <Text size="xs" c="dimmed" ff="monospace" title={subject_id}>
            {page ? (
              <PathLink path={pagePath(handle, page, subject_id)} isPlain>
                {subject_id.slice(-12)}
              </PathLink>
            ) : (
              subject_id.slice(-12)
            )}
          </Text>
        )}
        <div className={`${classes.details} narrow-only`}>{facts}</div>
      </td>
      <td className={`${classes.details} wide-only`}>{facts}</td>
    </tr>
  )
}

type Action = keyof (typeof texts)['audit']['actions']

/** `key.created` is "Key created": actions grow with the server, and this page may be older. */
const spelledOut = (action: string) => capitalized(action.replaceAll(/[._]/g, ' '))

const shown = (value: unknown) =>
  Array.isArray(value) ? value.join(', ') : value === null ? '–' : String(value)
