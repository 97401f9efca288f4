import { useInfiniteQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { listAuditInfiniteOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { keysetPaging } from '../../lib/keyset-paging.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ListOf } from '../../ui/ListOf.tsx'
import { Table } from '../../ui/Table.tsx'
import { AuditRow } from './AuditRow.tsx'
import { type AuditFilter, auditQueryOf } from './search.ts'

/** Who changed what, newest first. */
export function AuditList({ filter, onReset }: { filter: AuditFilter; onReset: () => void }) {
  const { t } = useTranslation()
  const entries = useInfiniteQuery({
    ...listAuditInfiniteOptions({ query: { limit: 50, ...auditQueryOf(filter) } }),
    ...keysetPaging,
  })
  return (
    <ListOf
      query={entries}
      rows={8}
      empty={
        <EmptyState
          title={t(($) => $.audit.noMatch.title)}
          body={t(($) => $.audit.noMatch.body)}
          onReset={onReset}
        />
      }
    >
      {(items) => (
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
      )}
    </ListOf>
  )
}
