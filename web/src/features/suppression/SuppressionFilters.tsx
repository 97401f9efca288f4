import { Group, NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { SearchField } from '../../ui/SearchField.tsx'
import { kinds, reasons, type SuppressionFilter, suppressionSearchOf } from './search.ts'

interface SuppressionFiltersProps {
  filter: SuppressionFilter
  onChange: (filter: SuppressionFilter) => void
}

export function SuppressionFilters({ filter, onChange }: SuppressionFiltersProps) {
  const { t } = useTranslation()
  const set = (changes: Record<string, string | undefined>) =>
    onChange(suppressionSearchOf({ ...filter, ...changes }))
  return (
    <Group mb="md" gap="sm">
      <SearchField
        aria-label={t(($) => $.suppression.search)}
        placeholder={t(($) => $.suppression.search)}
        value={filter.search}
        onChange={(search) => set({ search })}
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
