import { UnstyledButton, VisuallyHidden } from '@mantine/core'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Thread } from '../../api/generated/types.gen.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { StateBadge } from '../../ui/StateBadge.tsx'
import { isAutomatic, LeadStatus } from '../labels/index.ts'
import { Excerpt } from './Excerpt.tsx'
import classes from './ThreadList.module.css'

interface ThreadRowProps {
  thread: Thread
  isOpen: boolean
  onOpen: (id: string) => void
}

export const ThreadRow = memo(({ thread, isOpen, onOpen }: ThreadRowProps) => {
  const { t } = useTranslation()
  const { id, kind, unread, subject, snippet, excerpt, lead_status, snoozed_until, suggestion } =
    thread
  const lead = thread.lead_name ?? thread.lead_email
  const address = thread.from_address
  const name =
    lead === null
      ? address
      : thread.is_from_another
        ? t(($) => $.inbox.writtenFor, { address, name: lead })
        : lead
  return (
    <li data-id={id}>
      <UnstyledButton
        className={classes.row}
        aria-current={isOpen}
        data-unread={unread || undefined}
        onClick={() => onOpen(id)}
      >
        <span
          className={classes.name}
          title={thread.is_from_another ? name : (thread.lead_email ?? undefined)}
        >
          {unread && <VisuallyHidden>{t(($) => $.inbox.unread)} </VisuallyHidden>}
          {name}
        </span>
        <span className={classes.when}>
          <RelativeTime at={thread.timestamp_last_message} />
        </span>
        <span className={classes.subject} title={subject}>
          {subject || t(($) => $.inbox.noSubject)}
        </span>
        <span className={classes.snippet}>{excerpt ? <Excerpt parts={excerpt} /> : snippet}</span>
        <span className={classes.foot}>
          {kind !== 'reply' && (
            <StateBadge tone={kind === 'auto_reply' ? 'amber' : 'red'}>
              {t(($) => $.inbox.kinds[kind])}
            </StateBadge>
          )}
          {lead_status && !isAutomatic(lead_status) && <LeadStatus status={lead_status} />}
          {suggestion && <StateBadge tone="amber">{t(($) => $.inbox.wantsOut)}</StateBadge>}
          {snoozed_until && (
            <span>
              {t(($) => $.inbox.snoozedUntil)} <RelativeTime at={snoozed_until} />
            </span>
          )}
        </span>
      </UnstyledButton>
    </li>
  )
})
ThreadRow.displayName = 'ThreadRow'
