import { Button } from '@mantine/core'
import { useDocumentVisibility } from '@mantine/hooks'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  getThreadOptions,
  listFoundWordsOptions,
  listThreadMessagesInfiniteOptions,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { keysetPaging } from '../../lib/keyset-paging.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { QueryFault } from '../../ui/QueryFault.tsx'
import { BackToList } from './BackToList.tsx'
import { KeptText } from './KeptText.tsx'
import { LeadAside } from './LeadAside.tsx'
import { LoadingThread } from './LoadingThread.tsx'
import { MailSection } from './MailSection.tsx'
import { Reply } from './Reply.tsx'
import type { FocusHandle } from './ReplyText.tsx'
import classes from './Thread.module.css'
import { ThreadHead } from './ThreadHead.tsx'
import { UnsentReply } from './UnsentReply.tsx'
import { mailsOf, useMailsInView } from './useMailsInView.ts'
import { useThreadChanges } from './useThreadChanges.ts'

interface ThreadProps {
  id: string
  /** By which it was found: its words are marked. */
  search: string | undefined
  replyRef: RefObject<FocusHandle | null>
  snoozeRef: RefObject<HTMLButtonElement | null>
  onClose: () => void
  onDone: () => void
  onUnread: () => void
}

const noWords: string[] = []

/** A conversation, the newest mail last, the answer below it and the lead beside it. */
export function Thread(props: ThreadProps) {
  const { id, search = '', replyRef, snoozeRef, onClose, onDone, onUnread } = props
  const { t } = useTranslation()
  // The newest come with the conversation; all of them are read once somebody asks for older ones.
  const [showsAll, setShowsAll] = useState(false)
  const conversation = useQuery(getThreadOptions({ path: { id } }))
  const all = useInfiniteQuery({
    ...listThreadMessagesInfiniteOptions({ path: { id }, query: { limit: 50 } }),
    ...keysetPaging,
    initialPageParam: { path: { id } },
    enabled: showsAll,
  })
  const found = useQuery({
    ...listFoundWordsOptions({ path: { id }, query: { search } }),
    enabled: search !== '',
  })
  const words = (search !== '' && found.data?.words) || noWords
  const changes = useThreadChanges()
  const mails = useRef<HTMLDivElement>(null)
  const { data } = conversation
  // What comes in behind another tab has not been seen.
  const isLookedAt = useDocumentVisibility() === 'visible'
  const mustBeRead = data?.unread && changes.mayChange && isLookedAt
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is opened or something comes in
  useEffect(() => {
    if (mustBeRead) void changes.setRead(id, true)
  }, [mustBeRead, data?.last_message_id, id])

  const newest = new Set(data?.messages.map((message) => message.id))
  const read = showsAll ? (all.data?.pages.flatMap(({ items }) => items) ?? []) : []
  const older = read.filter((message) => !newest.has(message.id))
  const messages = [...(data?.messages ?? []), ...older].toReversed()
  const lastRead = messages.findLastIndex(({ direction }) => direction === 'in')
  const firstOpen = Math.min(lastRead, messages.length - 1)
  const isFresh = conversation.isFetchedAfterMount || !conversation.isStale
  useMailsInView(mails, { oldestId: messages[0]?.id, isFresh, at: firstOpen })

  if (conversation.isPending) return <LoadingThread />
  // Somebody has erased the person meanwhile.
  const isGone = conversation.error?.statusCode === 404
  const isLeft = conversation.error?.code === 'workspace_mismatch'
  if (!data || isGone || isLeft) {
    return (
      <div className={classes.notice}>
        <BackToList onClose={onClose} />
        <FaultNotice
          fault={conversation.error as NonNullable<typeof conversation.error>}
          onRetry={() => void conversation.refetch()}
        />
        {isLeft && <KeptText threadId={id} />}
      </div>
    )
  }
  const hasOlder = all.data ? all.hasNextPage : data.has_older
  const showAfter = (seen: string) =>
    mailsOf(mails.current)
      .at(messages.findIndex((message) => message.id > seen))
      ?.scrollIntoView()
  return (
    <div className={classes.whole}>
      <article
        className={classes.thread}
        aria-label={data.subject || t(($) => $.inbox.noSubject)}
        // Has the focus when the answer gives it up.
        tabIndex={-1}
      >
        <ThreadHead
          thread={data}
          words={words}
          snoozeRef={snoozeRef}
          onClose={onClose}
          onDone={onDone}
          onUnread={onUnread}
        />
        <div ref={mails} className={classes.mails}>
          <QueryFault query={conversation} />
          {all.error && <FaultNotice fault={all.error} onRetry={() => void all.refetch()} />}
          {hasOlder && !all.error && (
            <Button
              variant="default"
              size="compact-sm"
              loading={all.isFetching}
              onClick={() => (showsAll ? void all.fetchNextPage() : setShowsAll(true))}
            >
              {t(($) => $.inbox.older)}
            </Button>
          )}
          {messages.map((message, at) => (
            <MailSection
              key={message.id}
              message={message}
              leadEmail={data.lead_email}
              words={words}
              isOpenAtFirst={at >= firstOpen}
            />
          ))}
          {data.replies.toReversed().map((reply) => (
            <UnsentReply key={reply.id} threadId={data.id} reply={reply} />
          ))}
        </div>
        <Reply conversation={data} inputRef={replyRef} onShowAfter={showAfter} />
      </article>
      <LeadAside thread={data} />
    </div>
  )
}
