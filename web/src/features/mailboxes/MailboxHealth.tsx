import { useTranslation } from 'react-i18next'
import type { Mailbox } from '../../api/generated/types.gen.ts'
import { StateBadge } from '../../ui/StateBadge.tsx'
import { healthOf, healthTones } from './mailbox-health.ts'

export function MailboxHealth({ mailbox }: { mailbox: Mailbox }) {
  const { t } = useTranslation()
  const health = healthOf(mailbox)
  return (
    <StateBadge tone={healthTones[health]}>{t(($) => $.mailboxes.health[health].name)}</StateBadge>
  )
}
