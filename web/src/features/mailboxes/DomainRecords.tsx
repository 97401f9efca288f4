import { Text, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Check, TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { checkMailboxDnsOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import classes from './DomainRecords.module.css'

const shown = ['SPF', 'DKIM', 'DMARC'] as const
const hourMs = 3_600_000

/** @param mailboxId one of the domain's: all others have the same records */
export function DomainRecords({ mailboxId }: { mailboxId: string }) {
  const { t } = useTranslation()
  const dns = useQuery({
    ...checkMailboxDnsOptions({ path: { id: mailboxId } }),
    staleTime: hourMs,
  })
  if (!dns.data) {
    return (
      <Text size="xs" c="dimmed">
        {dns.isError ? t(($) => $.mailboxes.dns.unknown) : t(($) => $.mailboxes.dns.looking)}
      </Text>
    )
  }
  const { findings } = dns.data
  return (
    <span className={classes.records}>
      {shown.map((record) => {
        const finding = findings.find((each) => each.record === record)
        const isWell = finding?.status === 'ok'
        const Icon = isWell ? Check : TriangleAlert
        return (
          <span key={record} data-well={isWell} title={finding?.detail}>
            <Icon size="0.75rem" aria-hidden />
            {record}
            <VisuallyHidden> {finding?.detail}</VisuallyHidden>
          </span>
        )
      })}
    </span>
  )
}
