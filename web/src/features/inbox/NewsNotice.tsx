import { Button, Group, Text } from '@mantine/core'
import type { RefObject } from 'react'
import { useTranslation } from 'react-i18next'
import type { ThreadMessage, ThreadReply } from '../../api/generated/types.gen.ts'
import classes from './Reply.module.css'
import { useWriterName } from './useWriterName.ts'

interface NewsNoticeProps {
  news: ThreadMessage | ThreadReply
  /** Of the conversation. */
  mailboxAddress: string | null
  buttonRef: RefObject<HTMLButtonElement | null>
  onShow: () => void
}

/** Something came into the conversation after its answer was begun: what it is, and the way to it. */
export function NewsNotice({ news, mailboxAddress, buttonRef, onShow }: NewsNoticeProps) {
  const { t } = useTranslation()
  const writer = useWriterName(news.written_by)
  const mail = 'kind' in news ? news : undefined
  const isAnswer = !mail || mail.kind === 'manual'
  const isTheirs = mail?.direction === 'in' && mail.kind !== 'bounce' && mail.kind !== 'complaint'
  const name = writer ?? (mail ? mail.from_name || mail.from_address : mailboxAddress)
  return (
    <div className={classes.problem} role="status">
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm" miw={0}>
          {t(($) => $.inbox.news[isAnswer ? 'answered' : isTheirs ? 'wrote' : 'other'], { name })}{' '}
          {t(($) => $.inbox.news.before)}
        </Text>
        <Button ref={buttonRef} variant="default" size="xs" miw="max-content" onClick={onShow}>
          {t(($) => $.inbox.news.show)}
        </Button>
      </Group>
    </div>
  )
}
