import { Button, Group } from '@mantine/core'
import { Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { NameField } from '../../../ui/NameField.tsx'
import { Hours } from './Hours.tsx'
import type { WeeklySchedule } from './weekly-schedules.ts'
import { ZoneField } from './ZoneField.tsx'

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
      <ZoneField
        key={`zone ${shownIndex}`}
        value={timezone}
        readOnly={readOnly}
        problem={problem('timezone')}
        onChange={(zone) => onChange({ timezone: zone })}
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
