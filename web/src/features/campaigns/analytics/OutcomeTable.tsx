import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { numberText } from '../../../lib/number.ts'
import { Table } from '../../../ui/Table.tsx'
import { percent } from '../percent.ts'
import { type Outcome, outcomes, type Sums } from './sums.ts'

interface OutcomeTableProps {
  label: string
  /** Heading of the first column. */
  first: string
  rows: { name: string; sums: Sums }[]
  total?: Sums
  /** Outcomes stand in the row of their mail, not of their day. */
  hasRates?: boolean
}

/** What a telephone has room for. */
const narrow = new Set<Outcome>(['sent', 'replied', 'interested'])
/** Of those that bounced some were refused, and so never sent: they are no part of the mails sent. */
const hasRate = (outcome: Outcome) => outcome !== 'sent' && outcome !== 'bounced'

/** Counts, each with its part of the mails sent: where more came than was sent, it came of earlier mails. */
export function OutcomeTable({ label, first, rows, total, hasRates = false }: OutcomeTableProps) {
  const { t } = useTranslation()
  const classOf = (outcome: Outcome) =>
    narrow.has(outcome) ? 'end numbers' : 'end numbers wide-only'
  const cells = (sums: Sums) =>
    outcomes.map((outcome) => (
      <td key={outcome} className={classOf(outcome)}>
        {numberText(sums[outcome])}
        {hasRates && hasRate(outcome) && sums[outcome] > 0 && sums[outcome] <= sums.sent && (
          <Text size="xs" c="dimmed">
            {percent.format(sums[outcome] / sums.sent)}
          </Text>
        )}
      </td>
    ))
  return (
    <Table label={label}>
      <thead>
        <tr>
          <th>{first}</th>
          {outcomes.map((outcome) => (
            <th key={outcome} className={classOf(outcome)}>
              {t(($) => $.campaigns.analytics.outcomes[outcome])}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, sums }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {cells(sums)}
          </tr>
        ))}
        {total && rows.length > 1 && (
          <tr>
            <th scope="row">{t(($) => $.campaigns.launch.total)}</th>
            {cells(total)}
          </tr>
        )}
      </tbody>
    </Table>
  )
}
