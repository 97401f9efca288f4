import { TextInput } from '@mantine/core'

interface TimeFieldProps {
  label: string
  value: string
  readOnly: boolean
  error: string | undefined
  onChange: (time: string) => void
}

/** A time of the day to 24:00, which the browsers' own field does not know. */
export const TimeField = ({ label, value, readOnly, error, onChange }: TimeFieldProps) => (
  <TextInput
    label={label}
    w="6rem"
    maxLength={5}
    readOnly={readOnly}
    defaultValue={value}
    error={error}
    onBlur={(event) => {
      const text = event.currentTarget.value.trim()
      const time = /^\d:\d\d$/.test(text) ? `0${text}` : text
      if (time === value) return
      if (/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/.test(time)) onChange(time)
      else event.currentTarget.value = value
    }}
  />
)
