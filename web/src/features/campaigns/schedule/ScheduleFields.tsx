import { Button, Group, Select } from '@mantine/core'
import { Trash2 } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { NameField } from '../../../ui/NameField.tsx'
import { Hours } from './Hours.tsx'
import { type WeeklySchedule, zonesWith } from './weekly-schedules.ts'

interface ScheduleFieldsProps {
  schedule: WeeklySchedule
  /** Of the schedule among all of its campaign. */
  shownIndex: number
  readOnly: boolean
  problem: (name: string) => string | undefined
  onChange: (changes: Partial<WeeklySchedule>) => void
  onRemove: (() => void) | undefined
}

/** Name, hours and zone of a schedule: what the grid draws, by keyboard. */
export function ScheduleFields({
  schedule,
  shownIndex,
  readOnly,
  problem,
  onChange,
  onRemove,
}: ScheduleFieldsProps) {
  const { t } = useTranslation()
  const { timezone, name } = schedule
  const zones = useMemo(() => zonesWith(timezone), [timezone])
  return (
    <Group align="flex-end" gap="sm">
      <NameField
        label={t(($) => $.campaigns.schedule.name)}
        readOnly={readOnly}
        value={name}
        error={problem('name')}
        onChange={(next) => onChange({ name: next })}
      />
      <Hours
        key={shownIndex}
        schedule={schedule}
        shownIndex={shownIndex}
        problem={problem}
        onChange={onChange}
      />
      <Select
        label={t(($) => $.campaigns.schedule.zone)}
        searchable
        allowDeselect={false}
        limit={100}
        w="16rem"
        readOnly={readOnly}
        nothingFoundMessage={t(($) => $.campaigns.schedule.noZone)}
        data={zones}
        value={timezone}
        error={problem('timezone')}
        onChange={(zone) => zone && onChange({ timezone: zone })}
      />
      {onRemove && !readOnly && (
        <Button
          variant="subtle"
          color="red"
          leftSection={<Trash2 size="1rem" aria-hidden />}
          onClick={onRemove}
        >
          {t(($) => $.campaigns.schedule.remove)}
        </Button>
      )}
    </Group>
  )
}
