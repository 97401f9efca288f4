import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { DayRange } from '../../ui/DayRange.tsx'
import { FilterChip } from '../../ui/FilterChip.tsx'
import { QueryFault } from '../../ui/QueryFault.tsx'
import { isFiltered, results, type WebhookSearch, webhookSearchOf } from './search.ts'
import { useEventNames } from './useEventNames.ts'

interface LogFiltersProps {
  search: WebhookSearch
  /** A webhook of all events has attempts of many types. */
  hasTypes: boolean
  onChange: (search: WebhookSearch) => void
}

/** Which attempts are looked at. */
export function LogFilters({ search, hasTypes, onChange }: LogFiltersProps) {
  const { t } = useTranslation()
  const { names, query } = useEventNames()
  const { lead = '' } = search
  const [typed, setTyped] = useState(lead)
  const [seen, setSeen] = useState(lead)
  // Also after a reset, a link or Back.
  if (seen !== lead) {
    setSeen(lead)
    setTyped(lead)
  }
  const set = (changes: Record<string, string | undefined>) =>
    onChange(webhookSearchOf({ ...search, ...changes }))
  return (
    <Group gap="xs" mb="sm" align="center">
      <FilterChip
        label={t(($) => $.webhooks.filters.result)}
        options={results.map((value) => ({ value, label: t(($) => $.webhooks.filters[value]) }))}
        value={search.result}
        onChange={(result) => set({ result })}
      />
      {hasTypes && (
        <FilterChip
          label={t(($) => $.webhooks.filters.type)}
          options={[...names]
            .filter(([id]) => id !== 'all_events')
            .map(([value, label]) => ({ value, label }))}
          value={search.type}
          onChange={(type) => set({ type })}
        >
          <QueryFault query={query} />
        </FilterChip>
      )}
      <TextInput
        size="xs"
        type="search"
        aria-label={t(($) => $.webhooks.filters.lead)}
        placeholder={t(($) => $.webhooks.filters.lead)}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') set({ lead: typed.trim() })
        }}
        onBlur={() => {
          if (typed.trim() !== lead) set({ lead: typed.trim() })
        }}
      />
      <DayRange
        isCompact
        labels={{ from: t(($) => $.webhooks.filters.from), to: t(($) => $.webhooks.filters.to) }}
        from={search.from}
        to={search.to}
        onChange={set}
      />
      {isFiltered(search) && (
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => onChange(webhookSearchOf({ attempt: search.attempt }))}
        >
          {t(($) => $.common.resetFilters)}
        </Button>
      )}
    </Group>
  )
}
