import { Autocomplete } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { listAcquireListsOptions } from '../../api/generated/@tanstack/react-query.gen.ts'

/** The list that revealed contacts are put into, by its name: one that there is, or a new one. */
export default function ListField({
  value,
  onChange,
}: {
  value: string
  onChange: (list: string) => void
}) {
  const { t } = useTranslation()
  const { data } = useQuery(listAcquireListsOptions({ query: { limit: 100 } }))
  return (
    <Autocomplete
      size="xs"
      aria-label={t(($) => $.contacts.list.label)}
      placeholder={t(($) => $.contacts.list.label)}
      data={[...new Set(data?.items.map(({ name }) => name))]}
      value={value}
      onChange={onChange}
      maxLength={255}
    />
  )
}
