import { useInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { listSuppressionsInfiniteOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { keysetPaging } from '../../lib/keyset-paging.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ListOf } from '../../ui/ListOf.tsx'
import { Table } from '../../ui/Table.tsx'
import type { Entry } from './entry.ts'
import { SuppressionRow } from './SuppressionRow.tsx'
import type { SuppressionFilter } from './search.ts'

// Seldom, and by few.
const LiftSuppression = lazyPart(() => import('./LiftSuppression.tsx'), 'LiftSuppression')

interface SuppressionListProps {
  filter: SuppressionFilter
  mayChange: boolean
  onReset: () => void
  whenEmpty: ReactNode
}

/** Addresses before domains, each by the alphabet. */
export function SuppressionList(props: SuppressionListProps) {
  const { filter, mayChange, onReset, whenEmpty } = props
  const { t } = useTranslation()
  const [lifting, setLifting] = useState<Entry>()
  const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value))
  const entries = useInfiniteQuery({
    ...listSuppressionsInfiniteOptions({ query: { limit: 100, ...given } }),
    ...keysetPaging,
  })
  const isFiltered = Object.keys(given).length > 0
  const texts = isFiltered ? 'noMatch' : 'empty'
  return (
    <ListOf
      query={entries}
      rows={8}
      empty={
        <EmptyState
          title={t(($) => $.suppression[texts].title)}
          body={t(($) => $.suppression[texts].body)}
          action={whenEmpty}
          onReset={isFiltered && onReset}
        />
      }
    >
      {(items) => (
        <>
          <Table label={t(($) => $.suppression.title)}>
            <thead>
              <tr>
                <th>{t(($) => $.suppression.columns.value)}</th>
                <th>{t(($) => $.suppression.columns.reason)}</th>
                <th className="wide-only">{t(($) => $.suppression.columns.since)}</th>
                <td />
              </tr>
            </thead>
            <tbody>
              {items.map((entry) => (
                <SuppressionRow
                  key={`${entry.kind} ${entry.value}`}
                  entry={entry}
                  onLift={mayChange ? () => setLifting(entry) : undefined}
                />
              ))}
            </tbody>
          </Table>
          <Suspense>
            {lifting && (
              <LiftSuppression
                key={lifting.value}
                entry={lifting}
                onClose={() => setLifting(undefined)}
              />
            )}
          </Suspense>
        </>
      )}
    </ListOf>
  )
}
