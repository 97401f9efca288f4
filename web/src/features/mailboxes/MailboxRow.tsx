import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { Mailbox } from '../../api/generated/types.gen.ts'
import { MailAddress } from '../../ui/MailAddress.tsx'
import { useWorkspace } from '../users/index.ts'
import { DomainRecords } from './DomainRecords.tsx'
import { MailboxHealth } from './MailboxHealth.tsx'
import classes from './MailboxRow.module.css'
import { healthOf } from './mailbox-health.ts'
import { SentToday } from './SentToday.tsx'

/** @param ofDomain a mailbox of the same domain, which is looked up once */
export function MailboxRow({ mailbox, ofDomain }: { mailbox: Mailbox; ofDomain: string }) {
  const { t } = useTranslation()
  const { handle } = useWorkspace()
  const { id, address, display_name, provider, status_reason } = mailbox
  const health = healthOf(mailbox)
  const cause =
    status_reason ??
    (health === 'connected' ? undefined : t(($) => $.mailboxes.health[health].cause))
  return (
    <tr>
      <th scope="row" className={classes.mailbox}>
        <Link
          to="/w/$handle/settings/mailboxes/$id"
          params={{ handle, id }}
          className={classes.address}
        >
          <MailAddress value={address} />
        </Link>
        <Text size="xs" c="dimmed">
          {[display_name, t(($) => $.mailboxes.providers[provider])].filter(Boolean).join(' · ')}
        </Text>
      </th>
      <td>
        <MailboxHealth mailbox={mailbox} />
        {cause && (
          <Text size="xs" mt={4} className={classes.cause}>
            {cause}
          </Text>
        )}
      </td>
      <td className="wide-only">
        <DomainRecords mailboxId={ofDomain} />
      </td>
      <td className="end wide-only">
        <SentToday mailbox={mailbox} />
      </td>
    </tr>
  )
}
