import { Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { longest } from '../../lib/longest.ts'
import { SearchField } from '../../ui/SearchField.tsx'
import { StatusChips } from './StatusChips.tsx'
import { type CampaignFilter, campaignsSearchOf } from './search.ts'

interface CampaignFiltersProps {
  filter: CampaignFilter
  onChange: (filter: CampaignFilter) => void
}

export function CampaignFilters({ filter, onChange }: CampaignFiltersProps) {
  const { t } = useTranslation()
  const set = (changes: object) => onChange(campaignsSearchOf({ ...filter, ...changes }))
  return (
    <Group mb="md" gap="sm">
      <SearchField
        aria-label={t(($) => $.campaigns.search)}
        placeholder={t(($) => $.campaigns.search)}
        maxLength={longest.name}
        value={filter.search}
        onChange={(search) => set({ search })}
      />
      <StatusChips filter={filter} onChange={(status) => set({ status })} />
    </Group>
  )
}
