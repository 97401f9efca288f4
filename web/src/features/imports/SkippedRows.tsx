import { Anchor, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { numberText } from '../../lib/number.ts'
import { MailAddress } from '../../ui/MailAddress.tsx'
import { Table } from '../../ui/Table.tsx'
import { useWorkspace } from '../users/index.ts'
import { type Outcome, skippedOf } from './outcome.ts'

/** Rows that make no lead: how many of each reason, the first ones, and all to download. */
export function SkippedRows({ id, outcome }: { id: string; outcome: Outcome }) {
  const { t } = useTranslation()
  const workspace = useWorkspace()
  const total = skippedOf(outcome)
  if (total === 0) return null
  type Reason = Outcome['first_skipped'][number]['reason']
  const reasons = Object.entries(outcome.skipped) as [Reason, number][]
  return (
    <>
      <Group gap="lg" my="sm">
        {reasons.map(([reason, count]) => (
          <Text key={reason} size="sm" className="numbers">
            {numberText(count)} {t(($) => $.imports.reasons[reason])}
          </Text>
        ))}
        <Anchor size="sm" href={`/app/imports/${id}/report.csv?workspace=${workspace.id}`} download>
          {t(($) => $.imports.report)}
        </Anchor>
      </Group>
      <Table label={t(($) => $.imports.skippedRows)}>
        <thead>
          <tr>
            <th className="end">{t(($) => $.imports.row)}</th>
            <th>{t(($) => $.leads.columns.email)}</th>
            <th>{t(($) => $.imports.reason)}</th>
          </tr>
        </thead>
        <tbody>
          {outcome.first_skipped.slice(0, 20).map(({ row, email, reason, column }) => (
            <tr key={row}>
              <td className="end numbers">{numberText(row)}</td>
              <td>{email ? <MailAddress value={email} /> : '–'}</td>
              <td>
                {t(($) => $.imports.reasons[reason])}
                {column && ` (${column})`}
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      {total > 20 && (
        <Text size="xs" c="dimmed" mt="xs">
          {t(($) => $.imports.moreSkipped, { count: total - 20 })}
        </Text>
      )}
    </>
  )
}
