import { CloseButton, TextInput, type TextInputProps } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { Search } from 'lucide-react'
import { useState } from 'react'

interface SearchFieldProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  /** What is searched for, as the address says. */
  value: string | undefined
  onChange: (search: string | undefined) => void
  /** Says what the button does that empties it; without, there is none. */
  clear?: string
}

/** Long enough not to ask for every letter, short enough not to be waited for. */
const typingMs = 250

/** Asks once somebody has typed, and shows what is searched for: also after a reset, a link or Back. */
export function SearchField({ value = '', onChange, clear, ...rest }: SearchFieldProps) {
  const [typed, setTyped] = useState(value)
  const [seen, setSeen] = useState(value)
  const tell = useDebouncedCallback((text: string) => onChange(text.trim() || undefined), typingMs)
  if (seen !== value) {
    setSeen(value)
    // It is what was typed here, or came while more is being typed.
    if (value !== typed.trim() && !tell.isPending()) setTyped(value)
  }
  const set = (text: string) => {
    setTyped(text)
    tell(text)
  }
  return (
    <TextInput
      type="search"
      leftSection={<Search size={rest.size === 'xs' ? '0.875rem' : '1rem'} aria-hidden />}
      rightSection={
        clear &&
        typed !== '' && <CloseButton size="sm" aria-label={clear} onClick={() => set('')} />
      }
      {...rest}
      value={typed}
      onChange={(event) => set(event.currentTarget.value)}
    />
  )
}
