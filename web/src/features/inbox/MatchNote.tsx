import { useTranslation } from 'react-i18next'
import type { ThreadMessage } from '../../api/generated/types.gen.ts'
import classes from './MailSection.module.css'

/** Of a mail from another address than the lead's, or known by less than a reference: how sure that is. */
export function MatchNote({
  message,
  leadEmail,
}: {
  message: ThreadMessage
  leadEmail: string | null
}) {
  const { t } = useTranslation()
  const { kind, matched_by, from_address } = message
  if (kind !== 'reply' && kind !== 'auto_reply') return null
  const isFromLead = from_address.toLowerCase() === leadEmail?.toLowerCase()
  if (matched_by === null || (isFromLead && matched_by === 'message_id')) return null
  const texts = {
    message_id: t(($) => $.inbox.match.message_id),
    subject: t(($) => $.inbox.match.subject),
    address: t(($) => $.inbox.match.address),
  }
  return (
    <p className={classes.note} data-unsure={matched_by === 'message_id' ? undefined : true}>
      {texts[matched_by]}
    </p>
  )
}
