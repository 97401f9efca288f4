import { ActionIcon, Button, Title, Tooltip } from '@mantine/core'
import { Check, MailOpen, RotateCcw } from 'lucide-react'
import { type RefObject, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { Conversation } from '../../api/generated/types.gen.ts'
import { BackToList } from './BackToList.tsx'
import { Snooze } from './Snooze.tsx'
import classes from './Thread.module.css'
import { useHighlights } from './useHighlights.ts'
import { useThreadChanges } from './useThreadChanges.ts'

interface ThreadHeadProps {
  thread: Conversation
  /** To be marked. */
  words: readonly string[]
  snoozeRef: RefObject<HTMLButtonElement | null>
  onClose: () => void
  onDone: () => void
  onUnread: () => void
}

/** What it is about, and what can be done with it. */
export function ThreadHead(props: ThreadHeadProps) {
  const { thread, words, snoozeRef, onClose, onDone, onUnread } = props
  const { t } = useTranslation()
  const { mayChange, setDone, snooze } = useThreadChanges()
  const { id, subject, timestamp_done, snoozed_until } = thread
  const title = useRef<HTMLHeadingElement>(null)
  useHighlights(title, words, subject)
  return (
    <header className={classes.head}>
      <BackToList onClose={onClose} />
      <Title ref={title} order={2} title={subject}>
        {subject || t(($) => $.inbox.noSubject)}
      </Title>
      {mayChange && (
        <>
          <Tooltip label={t(($) => $.inbox.markUnread)}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t(($) => $.inbox.markUnread)}
              onClick={onUnread}
            >
              <MailOpen size="1rem" aria-hidden />
            </ActionIcon>
          </Tooltip>
          <Snooze
            buttonRef={snoozeRef}
            until={snoozed_until}
            onSnooze={(until) => void snooze(id, until)}
          />
          {timestamp_done ? (
            <Button
              variant="default"
              size="xs"
              leftSection={<RotateCcw size="0.875rem" aria-hidden />}
              onClick={() => void setDone(id, false)}
            >
              {t(($) => $.inbox.reopen)}
            </Button>
          ) : (
            <Button
              variant="default"
              size="xs"
              leftSection={<Check size="0.875rem" aria-hidden />}
              onClick={onDone}
            >
              {t(($) => $.inbox.done)}
            </Button>
          )}
        </>
      )}
    </header>
  )
}
