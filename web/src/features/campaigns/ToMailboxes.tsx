import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useWorkspace } from '../users/index.ts'
import classes from './CampaignPage.module.css'

/** Where a mailbox is mended, connected again or handed over that a campaign waits for. */
export function ToMailboxes() {
  const { t } = useTranslation()
  const { handle } = useWorkspace()
  return (
    <Link to="/w/$handle/settings/mailboxes" params={{ handle }} className={classes.linkInNotice}>
      {t(($) => $.campaigns.toMailboxes)}
    </Link>
  )
}
