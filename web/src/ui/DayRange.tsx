import { Text, TextInput, type TextInputProps } from '@mantine/core'
import { lastDay } from '../lib/time.ts'

interface DayRangeProps {
  from: string | undefined
  to: string | undefined
  labels: Record<'from' | 'to', string>
  /** Small, with the names within the fields. */
  isCompact?: boolean
  onChange: (changes: { from?: string; to?: string }) => void
}

/** The first and the last day of what is looked at. */
export function DayRange({ labels, isCompact = false, onChange, ...days }: DayRangeProps) {
  return (['from', 'to'] as const).map((end) => (
    <TextInput
      key={end}
      type="date"
      max={lastDay}
      {...(isCompact ? compact(labels[end]) : { label: labels[end] })}
      value={days[end] ?? ''}
      onChange={(event) => onChange({ [end]: event.currentTarget.value })}
    />
  ))
}

const compact = (label: string): TextInputProps => ({
  ...{ size: 'xs', 'aria-label': label, leftSectionWidth: '2.75rem' },
  leftSection: (
    <Text size="xs" c="dimmed" aria-hidden>
      {label}
    </Text>
  ),
})
