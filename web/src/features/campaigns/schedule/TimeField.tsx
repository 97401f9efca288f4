import { TextInput } from '@mantine/core'
import { timeIn } from './weekly-schedules.ts'

interface TimeFieldProps {
  label: string
  /** As it is typed. */
  value: string
  /** What it is again if what was typed is no time. */
  before: string
  readOnly: boolean
  error: string | undefined
  onChange: (text: string) => void
}

/** A time of the day to 24:00, which the browsers' own field does not know. */
export const TimeField = ({ value, before, onChange, ...rest }: TimeFieldProps) => (
  <TextInput
    {...rest}
    w="6rem"
    maxLength={5}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
    onBlur={() => timeIn(value) === undefined && onChange(before)}
  />
)
