import { TextInput } from '@mantine/core'
import type { SyntheticEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { lastDay } from '../../../lib/time.ts'
import { useCommitOnBlur } from '../useCommitOnBlur.ts'
import { useDraft } from '../useDraft.ts'

interface DayFieldProps {
  name: 'start_date' | 'end_date'
  onChange: (day: string | null) => void
}

/** A bound of the schedule. Each key in its field makes another day, and an emptied part makes none. */
export function DayField({ name, onChange }: DayFieldProps) {
  const { t } = useTranslation()
  const { mayChange, problemAt } = useDraft()
  const { value, type, commitHandlers } = useCommitOnBlur<string | null>({
    read: ({ campaign_schedule }) => campaign_schedule[name],
    // Half typed, or with a year of two digits, it stays what it was.
    write: (day) => (day === null || /^[1-9]/.test(day)) && onChange(day),
  })
  const take = ({ currentTarget }: SyntheticEvent<HTMLInputElement>) =>
    type(currentTarget.validity.badInput ? '' : currentTarget.value || null)
  return (
    <TextInput
      {...commitHandlers}
      type="date"
      max={lastDay}
      label={t(($) => $.campaigns.schedule[name])}
      value={value ?? ''}
      readOnly={!mayChange}
      error={problemAt(`/campaign_schedule/${name}`)}
      onChange={take}
      // Browsers tell of the first part that is emptied, and of the last no more.
      onKeyUp={(event) => value === '' && take(event)}
    />
  )
}
