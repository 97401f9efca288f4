import { Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useCommitOnBlur } from '../useCommitOnBlur.ts'
import { useDraft } from '../useDraft.ts'
import { TimeField } from './TimeField.tsx'
import { timeIn, type WeeklySchedule } from './weekly-schedules.ts'

interface HoursProps {
  schedule: WeeklySchedule
  /** Of the schedule among all of its campaign. */
  shownIndex: number
  problem: (name: string) => string | undefined
  onChange: (changes: Pick<WeeklySchedule, 'timing'>) => void
}

/** From when to when: either without the other makes hours that nobody has chosen. */
export function Hours({ schedule, shownIndex, problem, onChange }: HoursProps) {
  const { t } = useTranslation()
  const { mayChange } = useDraft()
  const { timing } = schedule
  const { value, type, commitHandlers } = useCommitOnBlur<WeeklySchedule['timing']>({
    read: ({ campaign_schedule }) => campaign_schedule.schedules[shownIndex]?.timing,
    write: ({ from, to }) =>
      onChange({ timing: { from: timeIn(from) ?? timing.from, to: timeIn(to) ?? timing.to } }),
  })
  const typed = value ?? timing
  return (
    <Group gap="sm" wrap="nowrap" align="flex-end" {...commitHandlers}>
      {(['from', 'to'] as const).map((part) => (
        <TimeField
          key={part}
          label={t(($) => $.campaigns.schedule[part])}
          value={typed[part]}
          before={timing[part]}
          readOnly={!mayChange}
          error={problem(`timing/${part}`)}
          onChange={(text) => type({ ...typed, [part]: text })}
        />
      ))}
    </Group>
  )
}
