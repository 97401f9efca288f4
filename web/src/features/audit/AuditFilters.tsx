import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { type AuditFilter, auditFilterOf, subjects } from './filter.ts'

interface AuditFiltersProps {
  filter: AuditFilter
  onChange: (filter: AuditFilter) => void
}

export function AuditFilters({ filter, onChange }: AuditFiltersProps) {
  const { t } = useTranslation()
  const set = (changes: Record<string, string>) =>
    onChange(auditFilterOf({ ...filter, ...changes }))
  return (
    <Group align="flex-end" mb="md" gap="sm">
      <NativeSelect
        label={t(($) => $.audit.about)}
        value={filter.about ?? ''}
        onChange={(event) => set({ about: event.currentTarget.value })}
        data={[
          { value: '', label: t(($) => $.audit.everything) },
          ...subjects.map((value) => ({ value, label: t(($) => $.audit.subjects[value]) })),
        ]}
      />
      <TextInput
        type="date"
        label={t(($) => $.audit.from)}
        value={filter.from ?? ''}
        onChange={(event) => set({ from: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        label={t(($) => $.audit.to)}
        value={filter.to ?? ''}
        onChange={(event) => set({ to: event.currentTarget.value })}
      />
      {Object.values(filter).some((value) => value !== undefined) && (
        <Button variant="subtle" onClick={() => onChange({})}>
          {t(($) => $.common.resetFilters)}
        </Button>
      )}
    </Group>
  )
}
