import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type RefObject, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { getThreadOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { LeadPanel } from './LeadPanel.tsx'
import { LoadingThread } from './LoadingThread.tsx'
import { MailSection } from './MailSection.tsx'
import { Reply } from './Reply.tsx'
import type { Writable } from './ReplyText.tsx'
import classes from './Thread.module.css'
import { ThreadHead } from './ThreadHead.tsx'
import { UnsentReply } from './UnsentReply.tsx'
import { useThreadChanges } from './useThreadChanges.ts'

interface ThreadProps {
  id: string
  replyRef: RefObject<Writable | null>
  onClose: () => void
  onDone: () => void
  onUnread: () => void
}

const messagesAtFirst = 20
const messagesMost = 100

/** A conversation, the newest mail last, the answer below it and the lead beside it. */
export default function Thread({ id, replyRef, onClose, onDone, onUnread }: ThreadProps) {
  const { t } = useTranslation()
  const [count, setCount] = useState(messagesAtFirst)
  const conversation = useQuery({
    ...getThreadOptions({ path: { id }, query: { messages: count } }),
    placeholderData: (before) => before,
  })
  const changes = useThreadChanges()
  const { data } = conversation
  const mustBeRead = data?.unread && changes.mayChange
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is opened or something comes in
  useEffect(() => {
    if (mustBeRead) void changes.setRead([id], true)
  }, [mustBeRead, data?.last_message_id, id])

  if (conversation.isPending) return <LoadingThread />
  if (!data) {
    return (
      <div className={classes.notice}>
        <FaultNotice
          fault={conversation.error as NonNullable<typeof conversation.error>}
          onRetry={() => void conversation.refetch()}
        />
      </div>
    )
  }
  const messages = data.messages.toReversed()
  const lastRead = messages.findLastIndex(({ direction }) => direction === 'in')
  return (
    <div className={classes.whole}>
      <article
        className={classes.thread}
        aria-label={data.subject || t(($) => $.inbox.noSubject)}
        // Has the focus when the answer gives it up.
        tabIndex={-1}
      >
        <ThreadHead thread={data} onClose={onClose} onDone={onDone} onUnread={onUnread} />
        <div className={classes.mails}>
          {data.has_older && count < messagesMost && (
            <Button variant="default" size="compact-sm" onClick={() => setCount(messagesMost)}>
              {t(($) => $.inbox.older)}
            </Button>
          )}
          {messages.map((message, at) => (
            <MailSection
              key={message.id}
              message={message}
              leadEmail={data.lead_email}
              isOpenAtFirst={at >= Math.min(lastRead, messages.length - 1)}
            />
          ))}
          {data.replies.toReversed().map((reply) => (
            <UnsentReply key={reply.id} reply={reply} />
          ))}
        </div>
        <Reply key={id} conversation={data} inputRef={replyRef} />
      </article>
      <LeadPanel thread={data} />
    </div>
  )
}
