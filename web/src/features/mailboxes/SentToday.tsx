import { useTranslation } from 'react-i18next'
import type { Mailbox } from '../../api/generated/types.gen.ts'
import classes from './SentToday.module.css'

/** Of today's limit, which a ramp-up keeps below the daily one. */
export function SentToday({ mailbox }: { mailbox: Mailbox }) {
  const { t } = useTranslation()
  const { sent_today: sent, limit_today: limit } = mailbox
  return (
    <span className={`numbers ${classes.sent}`}>
      <span>{t(($) => $.mailboxes.sentOf, { sent, limit })}</span>
      <progress
        className={classes.bar}
        value={Math.min(sent, limit)}
        max={limit}
        aria-label={t(($) => $.mailboxes.columns.sent)}
      />
    </span>
  )
}
