import { Group, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { Search } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { type MailboxFilter, mailboxFilterOf, statuses } from './filter.ts'

interface MailboxFiltersProps {
  filter: MailboxFilter
  onChange: (filter: MailboxFilter) => void
}

export function MailboxFilters({ filter, onChange }: MailboxFiltersProps) {
  const { t } = useTranslation()
  const set = (changes: Record<string, string>) =>
    onChange(mailboxFilterOf({ ...filter, ...changes }))
  const searchSoon = useDebouncedCallback((search: string) => set({ search }), 200)
  return (
    <Group mb="md" gap="sm">
      <TextInput
        type="search"
        aria-label={t(($) => $.mailboxes.search)}
        placeholder={t(($) => $.mailboxes.search)}
        leftSection={<Search size="1rem" aria-hidden />}
        defaultValue={filter.search ?? ''}
        onChange={(event) => searchSoon(event.currentTarget.value)}
        w="16rem"
      />
      <NativeSelect
        aria-label={t(($) => $.mailboxes.columns.health)}
        value={filter.status ?? ''}
        onChange={(event) => set({ status: event.currentTarget.value })}
        data={[
          { value: '', label: t(($) => $.mailboxes.anyState) },
          ...statuses.map((value) => ({ value, label: t(($) => $.mailboxes.health[value].name) })),
        ]}
      />
    </Group>
  )
}
