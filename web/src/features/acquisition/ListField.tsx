import { Autocomplete } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { listAcquireListsQueryKey } from '../../api/generated/@tanstack/react-query.gen.ts'
import { listAcquireLists } from '../../api/generated/sdk.gen.ts'
import { everyItem } from '../../lib/every-item.ts'
import { longest } from '../../lib/longest.ts'

/** The list that revealed contacts are put into, by its name: one that there is, or a new one. */
export function ListField({
  value,
  onChange,
}: {
  value: string
  onChange: (list: string) => void
}) {
  const { t } = useTranslation()
  const { data: lists } = useQuery({
    queryKey: [...listAcquireListsQueryKey(), 'every'],
    queryFn: ({ signal }) => everyItem(listAcquireLists, signal),
  })
  return (
    <Autocomplete
      size="xs"
      aria-label={t(($) => $.contacts.list.label)}
      placeholder={t(($) => $.contacts.list.label)}
      data={[...new Set(lists?.map(({ name }) => name))]}
      value={value}
      onChange={onChange}
      maxLength={longest.name}
    />
  )
}
