import { Group, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { Search } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { kinds, reasons, type SuppressionFilter, suppressionFilterOf } from './filter.ts'

interface SuppressionFiltersProps {
  filter: SuppressionFilter
  onChange: (filter: SuppressionFilter) => void
}

export function SuppressionFilters({ filter, onChange }: SuppressionFiltersProps) {
  const { t } = useTranslation()
  const set = (changes: Record<string, string>) =>
    onChange(suppressionFilterOf({ ...filter, ...changes }))
  const searchSoon = useDebouncedCallback((search: string) => set({ search }), 200)
  return (
    <Group mb="md" gap="sm">
      <TextInput
        type="search"
        aria-label={t(($) => $.suppression.search)}
        placeholder={t(($) => $.suppression.search)}
        leftSection={<Search size="1rem" aria-hidden />}
        defaultValue={filter.search ?? ''}
        onChange={(event) => searchSoon(event.currentTarget.value)}
        w="16rem"
      />
      <NativeSelect
        aria-label={t(($) => $.suppression.columns.reason)}
        value={filter.reason ?? ''}
        onChange={(event) => set({ reason: event.currentTarget.value })}
        data={[
          { value: '', label: t(($) => $.suppression.anyReason) },
          ...reasons.map((value) => ({
            value,
            label: t(($) => $.suppression.reasons[value].name),
          })),
        ]}
      />
      <NativeSelect
        aria-label={t(($) => $.suppression.columns.kind)}
        value={filter.kind ?? ''}
        onChange={(event) => set({ kind: event.currentTarget.value })}
        data={[
          { value: '', label: t(($) => $.suppression.anyKind) },
          ...kinds.map((value) => ({ value, label: t(($) => $.suppression.kinds[value]) })),
        ]}
      />
    </Group>
  )
}
