import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { listAuditInfiniteOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { LoadingRows } from '../../ui/LoadingRows.tsx'
import { MoreButton } from '../../ui/MoreButton.tsx'
import { ReadingFault } from '../../ui/ReadingFault.tsx'
import { Table } from '../../ui/Table.tsx'
import { AuditRow } from './AuditRow.tsx'
import { type AuditFilter, auditQueryOf } from './filter.ts'

/** Who changed what, newest first. */
export function AuditList({ filter, onReset }: { filter: AuditFilter; onReset: () => void }) {
  const { t } = useTranslation()
  const entries = useInfiniteQuery({
    ...listAuditInfiniteOptions({ query: { limit: 50, ...auditQueryOf(filter) } }),
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
        title={t(($) => $.audit.noMatch.title)}
        body={t(($) => $.audit.noMatch.body)}
        action={
          <Button variant="default" onClick={onReset}>
            {t(($) => $.common.resetFilters)}
          </Button>
        }
      />
    )
  }
  return (
    <>
      <ReadingFault reading={entries} />
      <Table label={t(($) => $.audit.title)}>
        <thead>
          <tr>
            <th>{t(($) => $.audit.columns.when)}</th>
            <th className="wide-only">{t(($) => $.audit.columns.who)}</th>
            <th>{t(($) => $.audit.columns.what)}</th>
            <th className="wide-only">{t(($) => $.audit.columns.details)}</th>
          </tr>
        </thead>
        <tbody>
          {items.map((entry) => (
            <AuditRow key={entry.id} entry={entry} filter={filter} />
          ))}
        </tbody>
      </Table>
      <MoreButton pages={entries} />
    </>
  )
}
