import { TextInput, type TextInputProps } from '@mantine/core'
import { useState } from 'react'
import { longest } from '../lib/longest.ts'

interface NameFieldProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value: string
  onChange: (name: string) => void
}

/** Saved while it is typed, without spaces around it: one at the end may be before the next word. */
export function NameField({ value, onChange, ...rest }: NameFieldProps) {
  const [typed, setTyped] = useState(value)
  return (
    <TextInput
      {...rest}
      maxLength={longest.name}
      value={typed.trim() === value.trim() ? typed : value}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        onChange(event.currentTarget.value)
      }}
    />
  )
}
