import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Check, TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { checkMailboxDnsOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { LoadingRows } from '../../ui/LoadingRows.tsx'
import { QueryFault } from '../../ui/QueryFault.tsx'
import { Secret } from '../../ui/Secret.tsx'
import classes from './DnsRecords.module.css'

interface DnsRecordsProps {
  mailboxId: string
  /** Where the others have been told of. */
  onlyMissing?: boolean
}

/** What receivers can tell of the domain, with the records that it lacks to copy. */
export function DnsRecords({ mailboxId, onlyMissing = false }: DnsRecordsProps) {
  const { t } = useTranslation()
  const dns = useQuery(checkMailboxDnsOptions({ path: { id: mailboxId } }))
  if (dns.isPending) return <LoadingRows rows={4} />
  if (!dns.data) return <QueryFault query={dns} />
  const findings = dns.data.findings.filter(({ status }) => !onlyMissing || status !== 'ok')
  return (
    <Stack gap="md">
      <QueryFault query={dns} />
      {findings.length === 0 && <Text size="sm">{t(($) => $.mailboxes.dns.nothingMissing)}</Text>}
      <ul className={classes.findings}>
        {findings.map(({ record, status, detail, remedy, records }) => {
          const Icon = status === 'ok' ? Check : TriangleAlert
          return (
            <li key={record} data-status={status}>
              <Icon size="1rem" aria-hidden />
              <div>
                <Text size="sm">
                  <strong>{t(($) => $.mailboxes.dns.records[record])}</strong> {detail}
                </Text>
                {remedy && <Text size="sm">{remedy}</Text>}
                {records.map(({ type, name, value }) => (
                  <Group key={name} grow mt="xs" align="flex-end" preventGrowOverflow={false}>
                    <Secret label={t(($) => $.mailboxes.dns.name, { type })} value={name} />
                    <Secret label={t(($) => $.mailboxes.dns.value)} value={value} />
                  </Group>
                ))}
              </div>
            </li>
          )
        })}
      </ul>
      <Group>
        <Button variant="default" loading={dns.isFetching} onClick={() => void dns.refetch()}>
          {t(($) => $.mailboxes.dns.again)}
        </Button>
      </Group>
    </Stack>
  )
}
