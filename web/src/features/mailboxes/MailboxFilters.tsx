import { Group, NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { SearchField } from '../../ui/SearchField.tsx'
import { type MailboxFilter, mailboxesSearchOf, statuses } from './search.ts'

interface MailboxFiltersProps {
  filter: MailboxFilter
  onChange: (filter: MailboxFilter) => void
}

export function MailboxFilters({ filter, onChange }: MailboxFiltersProps) {
  const { t } = useTranslation()
  const set = (changes: Record<string, string | undefined>) =>
    onChange(mailboxesSearchOf({ ...filter, ...changes }))
  return (
    <Group mb="md" gap="sm">
      <SearchField
        aria-label={t(($) => $.mailboxes.search)}
        placeholder={t(($) => $.mailboxes.search)}
        value={filter.search}
        onChange={(search) => set({ search })}
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
