import { Button, Checkbox, Group, Text, Textarea } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { Send } from 'lucide-react'
import { type RefObject, Suspense, useEffect, useImperativeHandle, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Conversation } from '../../api/generated/types.gen.ts'
import { randomKey } from '../../lib/idempotency-key.ts'
import { modifier } from '../../lib/keyboard.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { plainText } from '../../ui/RichText/template-html.ts'
import { pagePath } from '../links/index.ts'
import { useMay, useSignedIn, useWorkspace } from '../users/index.ts'
import { NewsNotice } from './NewsNotice.tsx'
import { newestOf, newsOf } from './newest.ts'
import { OutgoingReply } from './OutgoingReply.tsx'
import { forgetFailed, queueReply, useOutgoing } from './outbox.ts'
import classes from './Reply.module.css'
import type { FocusHandle } from './ReplyText.tsx'
import { draftName, forgetDraft, useReplyDraft } from './reply-draft.ts'
import { forgetUnsent, tellUnsent } from './tellUnsent.tsx'

const ReplyText = lazyPart(() => import('./ReplyText.tsx'), 'ReplyText')

interface ReplyProps {
  conversation: Conversation
  inputRef: RefObject<FocusHandle | null>
  /** Shows the mails that came in after this one. */
  onShowAfter: (id: string) => void
}

/** An answer from the mailbox of the conversation. It leaves eight seconds after the button. */
export function Reply({ conversation, inputRef, onShowAfter }: ReplyProps) {
  const { t } = useTranslation()
  const { id: workspaceId, handle } = useWorkspace()
  const router = useRouter()
  const { id, answer_to, answer_problem, may_force, mailbox_address } = conversation
  const outgoing = useOutgoing(id)
  const userId = useSignedIn().user.id
  const name = draftName(userId, workspaceId, id)
  const [draft, setDraft] = useReplyDraft(name)
  const [isForced, setForced] = useState(false)
  const [isBegun, setBegun] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const editor = useRef<FocusHandle>(null)
  const newsButton = useRef<HTMLButtonElement>(null)
  // Before the editor is there this stands in its place, and keeps that somebody wants to write.
  const loadingField = useRef<HTMLTextAreaElement>(null)
  const isFocusWanted = useRef(false)
  useImperativeHandle(inputRef, () => ({
    focus() {
      isFocusWanted.current = editor.current === null
      const target = editor.current ?? loadingField.current
      target?.focus()
      form.current?.scrollIntoView({ block: 'nearest' })
    },
  }))
  // The page was loaded again before it knew that its answer was sent.
  const key = draft?.key
  const isSent = conversation.messages.some(({ reply_key }) => key && reply_key === key)
  useEffect(() => {
    if (!isSent || !key) return
    forgetDraft(name, key)
    forgetFailed(id)
    forgetUnsent(id)
  }, [isSent, name, key, id])
  const mayWrite = useMay('member')
  const problem = mayWrite ? answer_problem : t(($) => $.inbox.viewer)
  const mayForce = mayWrite && may_force
  const html = draft?.html ?? ''
  // A text that is begun keeps its field: without it the next keys would be those of the inbox.
  if (problem && !mayForce && !isBegun && html === '')
    return <p className={classes.refused}>{problem}</p>
  if (outgoing && outgoing.state !== 'failed') {
    return <OutgoingReply outgoing={outgoing} />
  }
  const fromTo = t(($) => $.inbox.fromTo, { from: mailbox_address, to: answer_to })
  // An image is an answer, too.
  const isEmpty = plainText(html) === '' && !html.includes('<img')
  const isAllowed = !problem || (mayForce && isForced)
  const newest = newestOf(conversation)
  const seen = draft?.seen ?? newest
  const [news] = newsOf(conversation, seen, userId)
  const showNews = () => {
    if (draft) setDraft({ ...draft, seen: newest })
    // Was refused for what is looked at now.
    if (outgoing?.fault?.code === 'version_conflict') forgetFailed(id)
    onShowAfter(seen)
    editor.current?.focus()
  }
  // Not to nowhere: from the conversation the Tab key and those of the inbox go on.
  const leave = () => form.current?.closest('article')?.focus()
  const send = () => {
    if (!draft || isEmpty || !isAllowed) return
    if (news) return newsButton.current?.focus()
    leave()
    // What is said of it is about the text before.
    forgetUnsent(id)
    queueReply({
      ...{ workspaceId, threadId: id, draft: name, html, key: draft.key },
      force: mayForce && isForced,
      seen: newest,
      onFail(reason) {
        const { search } = router.state.location
        // The conversation says so itself.
        if ('thread' in search && search.thread === id) return
        const onOpen = () => router.history.push(pagePath(handle, 'conversation', id))
        tellUnsent({ threadId: id, address: answer_to ?? '', reason, onOpen })
      },
    })
  }
  return (
    <form
      ref={form}
      className={classes.reply}
      onFocus={() => setBegun(true)}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      {outgoing?.fault && <FaultNotice fault={outgoing.fault} />}
      {news && (
        <NewsNotice
          buttonRef={newsButton}
          news={news}
          mailboxAddress={mailbox_address}
          onShow={showNews}
        />
      )}
      {problem && (
        <div className={classes.problem}>
          <Text size="sm" role="status">
            {problem}
          </Text>
          {mayForce && (
            <Checkbox
              size="xs"
              label={t(($) => $.inbox.force)}
              checked={isForced}
              onChange={(event) => setForced(event.currentTarget.checked)}
            />
          )}
        </div>
      )}
      <Suspense
        fallback={
          <Textarea
            ref={loadingField}
            readOnly
            minRows={4}
            autosize
            aria-label={t(($) => $.common.loading)}
            value={plainText(html)}
          />
        }
      >
        <ReplyText
          inputRef={editor}
          isFocusWanted={isFocusWanted}
          placeholder={t(($) => $.inbox.replyTo, { address: answer_to })}
          value={html}
          onChange={(written) => setDraft({ html: written, key: randomKey(), seen })}
          onSend={send}
          onLeave={leave}
        />
      </Suspense>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="xs" c="dimmed" truncate title={fromTo}>
          {fromTo}
        </Text>
        <Button
          type="submit"
          size="xs"
          miw="max-content"
          disabled={isEmpty || !isAllowed}
          leftSection={<Send size="0.875rem" aria-hidden />}
          title={`${modifier}⏎`}
        >
          {t(($) => $.inbox.send)}
        </Button>
      </Group>
    </form>
  )
}
