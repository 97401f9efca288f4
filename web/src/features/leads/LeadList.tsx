import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useCallback, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import {
  countLeadsOptions,
  listLeadsQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { listLeads } from '../../api/generated/sdk.gen.ts'
import type { ListedLead } from '../../api/generated/types.gen.ts'
import { allSelected, nothingSelected, type Selection, select } from '../../lib/selection.ts'
import { useKeysetRows } from '../../lib/useKeysetRows.ts'
import { DataTable } from '../../ui/DataTable/DataTable.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { chosenColumns, leadColumns } from './columns.tsx'
import { filterOf, isFiltered, type LeadSearch, leadQueryOf } from './search.ts'
import { useIdleCampaigns } from './useCampaigns.ts'

interface LeadListProps {
  search: LeadSearch
  campaigns: ReadonlyMap<string, string>
  /** Whose leads alone are shown. */
  campaignId: string | undefined
  /** Undefined: this person changes nothing. */
  selection: Selection | undefined
  onSelect: (change: (selection: Selection) => Selection) => void
  onOpen: (id: string) => void
  onReset: () => void
  whenEmpty: ReactNode
}

const nameOf = ({ email }: ListedLead) => email

/** Leads newest first, as many as there are. */
export function LeadList(props: LeadListProps) {
  const { search, campaigns, campaignId, selection, onSelect, onOpen, onReset, whenEmpty } = props
  const { t } = useTranslation()
  const filter = filterOf(search)
  const query = leadQueryOf(filter, campaignId)
  const rows = useKeysetRows({
    key: listLeadsQueryKey({ query: { ...query, limit: 100 } }),
    read: async (starting_after, signal) => {
      const page = { ...query, limit: 100, ...(starting_after ? { starting_after } : {}) }
      return (await listLeads({ query: page, signal })).data
    },
  })
  const { data: total } = useQuery(countLeadsOptions({ query }))
  const idle = useIdleCampaigns()
  const columns = useMemo(
    () => leadColumns(t, chosenColumns(search.columns), campaigns, idle),
    [t, search.columns, campaigns, idle],
  )
  const open = useCallback(({ id }: ListedLead) => onOpen(id), [onOpen])
  const choose = useCallback(
    (ids: string[], isChosen: boolean) => onSelect((chosen) => select(chosen, ids, isChosen)),
    [onSelect],
  )
  const texts = isFiltered(filter) ? 'noMatch' : 'empty'
  return (
    <DataTable
      label={t(($) => $.leads.title)}
      columns={columns}
      rows={rows}
      total={total?.is_estimate ? undefined : total?.count}
      nameOf={nameOf}
      onOpen={open}
      openId={search.lead}
      {...(selection ? { selection } : {})}
      onSelect={choose}
      onSelectAll={(isChosen) => onSelect(() => (isChosen ? allSelected : nothingSelected))}
      empty={
        <EmptyState
          title={t(($) => $.leads[texts].title)}
          body={t(($) => $.leads[texts].body)}
          action={whenEmpty}
          onReset={isFiltered(filter) && onReset}
        />
      }
    />
  )
}
