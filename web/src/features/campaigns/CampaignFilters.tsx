import { Group, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { Search } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type CampaignFilter, campaignFilterOf } from './address.ts'
import { StatusChips } from './StatusChips.tsx'

interface CampaignFiltersProps {
  filter: CampaignFilter
  onChange: (filter: CampaignFilter) => void
}

export function CampaignFilters({ filter, onChange }: CampaignFiltersProps) {
  const { t } = useTranslation()
  const [search, setSearch] = useState(filter.search ?? '')
  const set = (changes: object) => onChange(campaignFilterOf({ ...filter, ...changes }))
  const setLater = useDebouncedCallback(set, 250)
  // The filters were reset, or somebody went back.
  const shown = filter.search === undefined && search !== '' && !setLater.isPending() ? '' : search
  return (
    <Group mb="md" gap="sm">
      <TextInput
        aria-label={t(($) => $.campaigns.search)}
        placeholder={t(($) => $.campaigns.search)}
        leftSection={<Search size="1rem" aria-hidden />}
        maxLength={255}
        value={shown}
        onChange={(event) => {
          setSearch(event.currentTarget.value)
          setLater({ search: event.currentTarget.value.trim() })
        }}
      />
      <StatusChips filter={filter} onChange={(status) => set({ status })} />
    </Group>
  )
}
