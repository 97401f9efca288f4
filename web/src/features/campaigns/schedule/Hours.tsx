import { Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useCommitOnBlur } from '../useCommitOnBlur.ts'
import { useDraft } from '../useDraft.ts'
import { TimeField } from './TimeField.tsx'
import { timeIn, type Weekly } from './windows.ts'

interface HoursProps {
  own: Weekly
  /** Its place among the schedules. */
  shown: number
  problem: (name: string) => string | undefined
  onChange: (changes: Pick<Weekly, 'timing'>) => void
}

/** From when to when: either without the other makes hours that nobody has chosen. */
export function Hours({ own, shown, problem, onChange }: HoursProps) {
  const { t } = useTranslation()
  const { mayChange } = useDraft()
  const { timing } = own
  const { value, type, commitHandlers } = useCommitOnBlur<Weekly['timing']>({
    read: ({ campaign_schedule }) => campaign_schedule.schedules[shown]?.timing,
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
