import { Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { DnsRecords } from './DnsRecords.tsx'

/** What the domain of a new mailbox lacks, while somebody is at it. */
export function MissingRecords({ mailboxId }: { mailboxId: string }) {
  const { t } = useTranslation()
  return (
    <section aria-label={t(($) => $.mailboxes.dns.title)}>
      <Title order={3}>{t(($) => $.mailboxes.dns.title)}</Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t(($) => $.mailboxes.dns.lead)}
      </Text>
      <DnsRecords mailboxId={mailboxId} onlyMissing />
    </section>
  )
}
