import { Button, Checkbox, Group, Text, Textarea } from '@mantine/core'
import { Send } from 'lucide-react'
import { type RefObject, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Conversation } from '../../api/generated/types.gen.ts'
import { newKey } from '../../lib/attempt.ts'
import { useDraft } from '../../lib/draft.ts'
import { modifier } from '../../lib/keyboard.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { isAtLeast, useWorkspace } from '../users/index.ts'
import { Outbound } from './Outbound.tsx'
import { queueReply, useOutgoing } from './outbox.ts'
import classes from './Reply.module.css'

/** Not to nowhere: from the conversation the Tab key and those of the inbox go on. */
const leave = (input: Element | null) => input?.closest('article')?.focus()

interface ReplyProps {
  conversation: Conversation
  inputRef: RefObject<HTMLTextAreaElement | null>
}

/** An answer from the mailbox of the conversation. It leaves eight seconds after the button. */
export function Reply({ conversation, inputRef }: ReplyProps) {
  const { t } = useTranslation()
  const { id: workspaceId, role } = useWorkspace()
  const { id, answer_to, answer_problem, may_force, mailbox_address } = conversation
  const outgoing = useOutgoing(id)
  const [draft, setDraft] = useDraft(workspaceId, id)
  const [isForced, setForced] = useState(false)
  // The page was loaded again before it knew that its answer was sent.
  const sent = conversation.messages.find(({ direction }) => direction === 'out')
  const isSent = draft !== undefined && sent?.kind === 'manual' && sent.text === draft.text
  useEffect(() => {
    if (isSent) setDraft(undefined)
  }, [isSent, setDraft])
  if (!isAtLeast(role, 'member'))
    return <p className={classes.refused}>{t(($) => $.inbox.viewer)}</p>
  if (answer_problem && !may_force) return <p className={classes.refused}>{answer_problem}</p>
  if (outgoing && outgoing.state !== 'failed') {
    return <Outbound outgoing={outgoing} />
  }
  const text = draft?.text ?? ''
  const isAllowed = !may_force || isForced
  const send = () => {
    if (!draft || text.trim() === '' || !isAllowed) return
    queueReply({
      ...{ workspaceId, threadId: id, text, key: draft.key, force: may_force && isForced },
      seen: conversation.last_message_id,
    })
    leave(inputRef.current)
  }
  return (
    <form
      className={classes.reply}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      {outgoing?.fault && <FaultNotice fault={outgoing.fault} />}
      {may_force && (
        <div className={classes.problem}>
          <Text size="sm">{answer_problem}</Text>
          <Checkbox
            size="xs"
            label={t(($) => $.inbox.force)}
            checked={isForced}
            onChange={(event) => setForced(event.currentTarget.checked)}
          />
        </div>
      )}
      <Textarea
        ref={inputRef}
        autosize
        minRows={2}
        maxRows={14}
        aria-label={t(($) => $.inbox.reply)}
        placeholder={t(($) => $.inbox.replyTo, { address: answer_to })}
        value={text}
        onChange={(event) => setDraft({ text: event.currentTarget.value, key: newKey() })}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
            event.preventDefault()
            send()
          }
          if (event.key === 'Escape') leave(event.currentTarget)
        }}
      />
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="xs" c="dimmed" truncate>
          {t(($) => $.inbox.fromTo, { from: mailbox_address, to: answer_to })}
        </Text>
        <Button
          type="submit"
          size="xs"
          miw="max-content"
          disabled={text.trim() === '' || !isAllowed}
          leftSection={<Send size="0.875rem" aria-hidden />}
          title={`${modifier}⏎`}
        >
          {t(($) => $.inbox.send)}
        </Button>
      </Group>
    </form>
  )
}
