import { CloseButton, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { Search } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'

interface InboxSearchProps {
  value: string
  onChange: (search: string | undefined) => void
}

const waitMs = 250

export function InboxSearch({ value, onChange }: InboxSearchProps) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState(value)
  const tell = useDebouncedCallback((text: string) => onChange(text.trim() || undefined), waitMs)
  const set = (text: string) => {
    setTyped(text)
    tell(text)
  }
  return (
    <TextInput
      flex={1}
      size="xs"
      type="search"
      aria-label={t(($) => $.inbox.search)}
      placeholder={t(($) => $.inbox.search)}
      leftSection={<Search size="0.875rem" aria-hidden />}
      value={typed}
      onChange={(event) => set(event.currentTarget.value)}
      rightSection={
        typed !== '' && (
          <CloseButton size="sm" aria-label={t(($) => $.inbox.clear)} onClick={() => set('')} />
        )
      }
    />
  )
}
