import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { listLabelsOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ListOf } from '../../ui/ListOf.tsx'
import { Table } from '../../ui/Table.tsx'
import { TitleCount } from '../../ui/TitleCount.tsx'
import { LabelRow } from './LabelRow.tsx'

interface LabelListProps {
  whenEmpty: ReactNode
  /** Undefined for who may only look. */
  onEdit: ((id: string) => void) | undefined
}

/** The labels that can be set, newest first. */
export function LabelList({ whenEmpty, onEdit }: LabelListProps) {
  const { t } = useTranslation()
  const labels = useQuery(listLabelsOptions())
  return (
    <ListOf
      query={labels}
      rows={4}
      empty={
        <EmptyState
          title={t(($) => $.labels.empty.title)}
          body={t(($) => $.labels.empty.body)}
          action={whenEmpty}
        />
      }
    >
      {(items) => (
        <>
          <TitleCount count={items.length} />
          <Table label={t(($) => $.labels.title)}>
            <thead>
              <tr>
                <th>{t(($) => $.labels.columns.name)}</th>
                <th>{t(($) => $.labels.columns.effect)}</th>
                <th className="wide-only">{t(($) => $.labels.columns.value)}</th>
                <td />
              </tr>
            </thead>
            <tbody>
              {items.map((label) => (
                <LabelRow
                  key={label.id}
                  label={label}
                  onEdit={onEdit && (() => onEdit(label.id))}
                />
              ))}
            </tbody>
          </Table>
        </>
      )}
    </ListOf>
  )
}
