import { Button, Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { longest } from '../../lib/longest.ts'
import { FilterChip } from '../../ui/FilterChip.tsx'
import { QueryFault } from '../../ui/QueryFault.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { statuses, useOwnLabels } from '../labels/index.ts'
import classes from './LeadFilters.module.css'
import {
  dayRanges,
  filterOf,
  isFiltered,
  type LeadFilter,
  type LeadSearch,
  leadsSearchOf,
  sendingStates,
} from './search.ts'

interface LeadFiltersProps {
  search: LeadSearch
  /** To choose from; undefined: it is of one alone. */
  campaigns: ReadonlyMap<string, string> | undefined
  onChange: (filter: LeadFilter) => void
}

export function LeadFilters({ search, campaigns, onChange }: LeadFiltersProps) {
  const { t } = useTranslation()
  const { all: labels, query } = useOwnLabels()
  const filter = filterOf(search)
  const set = (changes: LeadFilter) => onChange(filterOf(leadsSearchOf({ ...filter, ...changes })))
  const ago = dayRanges.map((value) => ({
    value,
    label: t(($) => $.leads.windows, { count: Number(value) }),
  }))
  return (
    <Group gap="xs" mb="sm">
      <SearchField
        className={classes.search}
        aria-label={t(($) => $.leads.search)}
        placeholder={t(($) => $.leads.search)}
        maxLength={longest.search}
        value={filter.q}
        onChange={(q) => set({ q })}
      />
      {campaigns && (
        <FilterChip
          label={t(($) => $.leads.columns.campaign)}
          options={[...campaigns].map(([value, label]) => ({ value, label }))}
          value={filter.campaign}
          onChange={(campaign) => set({ campaign })}
        />
      )}
      <FilterChip
        label={t(($) => $.leads.columns.status)}
        options={statuses.map((value) => ({ value, label: t(($) => $.labels.statuses[value]) }))}
        value={filter.status}
        isMultiple
        onChange={(status) => set({ status })}
      />
      {(labels.length > 0 || filter.label || query.error) && (
        <FilterChip
          label={t(($) => $.leads.columns.label)}
          options={labels.map(({ id, name }) => ({ value: id, label: name }))}
          value={filter.label}
          onChange={(label) => set({ label })}
        >
          <QueryFault query={query} />
        </FilterChip>
      )}
      <FilterChip
        label={t(($) => $.leads.columns.sending)}
        options={sendingStates.map((value) => ({ value, label: t(($) => $.leads.sending[value]) }))}
        value={filter.sending}
        isMultiple
        onChange={(sending) => set({ sending })}
      />
      <FilterChip
        label={t(($) => $.leads.columns.contacted)}
        options={ago}
        value={filter.contacted}
        onChange={(days) => set({ contacted: days as LeadFilter['contacted'] })}
      />
      <FilterChip
        label={t(($) => $.leads.columns.added)}
        options={ago}
        value={filter.added}
        onChange={(days) => set({ added: days as LeadFilter['added'] })}
      />
      {isFiltered(filter) && (
        <Button variant="subtle" size="xs" onClick={() => onChange({})}>
          {t(($) => $.common.resetFilters)}
        </Button>
      )}
    </Group>
  )
}
