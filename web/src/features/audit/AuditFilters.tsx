import { Button, Group, NativeSelect } from '@mantine/core'
import { Download } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { DayRange } from '../../ui/DayRange.tsx'
import { useWorkspace } from '../users/index.ts'
import { type AuditFilter, auditQueryOf, auditSearchOf, subjects, systemActors } from './search.ts'
import { useActors } from './useActors.ts'

interface AuditFiltersProps {
  filter: AuditFilter
  onChange: (filter: AuditFilter) => void
}

export function AuditFilters({ filter, onChange }: AuditFiltersProps) {
  const { t } = useTranslation()
  const { id } = useWorkspace()
  const { people, keys, other } = useActors(filter)
  const set = (changes: Record<string, string>) =>
    onChange(auditSearchOf({ ...filter, ...changes }))
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
      <NativeSelect
        label={t(($) => $.audit.by)}
        maw="14rem"
        value={filter.by ?? ''}
        onChange={(event) => set({ by: event.currentTarget.value })}
      >
        <option value="">{t(($) => $.audit.everybody)}</option>
        {other && <option value={other.id}>{other.name}</option>}
        <optgroup label={t(($) => $.audit.people)}>
          {people.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </optgroup>
        <optgroup label={t(($) => $.audit.subjects.key)}>
          {keys.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </optgroup>
        {systemActors.map((each) => (
          <option key={each} value={each}>
            {t(($) => $.audit.actors[each])}
          </option>
        ))}
      </NativeSelect>
      <DayRange
        labels={{ from: t(($) => $.audit.from), to: t(($) => $.audit.to) }}
        from={filter.from}
        to={filter.to}
        onChange={set}
      />
      <Button
        component="a"
        download
        href={`/app/audit/export.csv?${new URLSearchParams({ workspace: id, ...auditQueryOf(filter) })}`}
        variant="default"
        leftSection={<Download size="0.875rem" aria-hidden />}
      >
        {t(($) => $.audit.download)}
      </Button>
      {Object.values(filter).some((value) => value !== undefined) && (
        <Button variant="subtle" onClick={() => onChange({})}>
          {t(($) => $.common.resetFilters)}
        </Button>
      )}
    </Group>
  )
}
