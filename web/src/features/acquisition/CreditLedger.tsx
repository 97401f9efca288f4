import { useInfiniteQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { listCreditEntriesInfiniteOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ExactMoment } from '../../ui/ExactMoment.tsx'
import { LoadingRows } from '../../ui/LoadingRows.tsx'
import { MoreButton } from '../../ui/MoreButton.tsx'
import { ReadingFault } from '../../ui/ReadingFault.tsx'
import { Table } from '../../ui/Table.tsx'

/** What credits came and went for, newest first. */
export default function CreditLedger() {
  const { t } = useTranslation()
  const entries = useInfiniteQuery({
    ...listCreditEntriesInfiniteOptions({ query: { limit: 50 } }),
    initialPageParam: {},
    getNextPageParam: (page) => page.next_starting_after,
  })
  if (entries.isPending) return <LoadingRows rows={8} />
  if (!entries.data) return <ReadingFault reading={entries} />
  const items = entries.data.pages.flatMap((page) => page.items)
  if (items.length === 0 && entries.isError) return <ReadingFault reading={entries} />
  if (items.length === 0) {
    return (
      <EmptyState
        title={t(($) => $.contacts.noCredits.title)}
        body={t(($) => $.contacts.noCredits.body)}
      />
    )
  }
  return (
    <>
      <ReadingFault reading={entries} />
      <Table label={t(($) => $.contacts.views.credits)}>
        <thead>
          <tr>
            <th>{t(($) => $.contacts.columns.when)}</th>
            <th>{t(($) => $.contacts.columns.what)}</th>
            <th className="wide-only">{t(($) => $.contacts.columns.reason)}</th>
            <th className="end">{t(($) => $.contacts.columns.credits)}</th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ id, kind, amount, reason, timestamp_created }) => (
            <tr key={id}>
              <td>
                <ExactMoment at={timestamp_created} />
              </td>
              <th scope="row">{t(($) => $.contacts.kinds[kind])}</th>
              <td className="wide-only">{reason}</td>
              <td className="numbers end">{signed.format(amount)}</td>
            </tr>
          ))}
        </tbody>
      </Table>
      <MoreButton pages={entries} />
    </>
  )
}

const signed = new Intl.NumberFormat('en', { signDisplay: 'exceptZero' })
