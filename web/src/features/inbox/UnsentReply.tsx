import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { ThreadReply } from '../../api/generated/types.gen.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { plainText } from '../../ui/RichText/template-html.ts'
import { StateBadge, type Tone } from '../../ui/StateBadge.tsx'
import { DecideUncertain } from '../campaigns/index.ts'
import { useMay, useSignedIn, useWorkspace } from '../users/index.ts'
import classes from './MailSection.module.css'
import { draftName, useReplyDraft } from './reply-draft.ts'
import { useWriterName } from './useWriterName.ts'

const tones: Record<ThreadReply['state'], Tone> = {
  ...{ waiting: 'gray', claimed: 'blue', transmitting: 'blue' },
  ...{ sent: 'green', failed: 'red', uncertain: 'amber' },
}

/** An answer that is not among the mails yet: on its way, failed, or nobody knows until a person says. */
export function UnsentReply({ threadId, reply }: { threadId: string; reply: ThreadReply }) {
  const { t } = useTranslation()
  const writer = useWriterName(reply.written_by)
  const { id: workspaceId } = useWorkspace()
  const mayDecide = useMay('member')
  const { id, state, to_address, error_message } = reply
  const [draft] = useReplyDraft(draftName(useSignedIn().user.id, workspaceId, threadId))
  const isBelow = state === 'failed' && draft?.key === reply.idempotency_key
  return (
    <section className={classes.mail} data-ours>
      <div className={classes.head}>
        <span className={classes.from}>{writer ?? to_address}</span>
        <StateBadge tone={tones[state]}>{t(($) => $.inbox.states[state].name)}</StateBadge>
        <span className={classes.when}>
          <RelativeTime at={reply.timestamp_created} />
        </span>
      </div>
      <div className={classes.body}>
        <Text size="xs" c="dimmed" mb="xs">
          {t(($) => $.inbox.states[state].meaning)} {error_message}{' '}
          {isBelow && t(($) => $.inbox.isBelow)}
        </Text>
        {state === 'uncertain' && mayDecide && <DecideUncertain id={id} name={to_address} />}
        <p className={classes.text}>{reply.text ?? plainText(reply.html ?? '')}</p>
      </div>
    </section>
  )
}
