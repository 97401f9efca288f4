import { Button, Group, NativeSelect, Switch, TagsInput, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback, useDisclosure } from '@mantine/hooks'
import { Search } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './ContactFilters.module.css'
import {
  type ContactFilter,
  contactSearchOf,
  isFiltered,
  seniorities,
  sizeNames,
} from './contact-search.ts'
import { countryNames } from './country-names.ts'

interface ContactFiltersProps {
  filter: ContactFilter
  total: { count: number; isEstimate: boolean } | undefined
  onChange: (filter: ContactFilter) => void
}

const typingMs = 250
const suggestionsMost = 8
const wordFilters = ['titles', 'companies', 'industries', 'countries'] as const

export default function ContactFilters({ filter, total, onChange }: ContactFiltersProps) {
  const { t } = useTranslation()
  const set = (changes: ContactFilter) => onChange(contactSearchOf({ ...filter, ...changes }))
  const countries = useMemo(countryNames, [])
  // On a telephone: what is set is seen.
  const [isOpen, open] = useDisclosure(isFiltered({ ...filter, q: undefined }))
  const [typed, setTyped] = useState(filter.q ?? '')
  const find = useDebouncedCallback((q: string) => set({ q: q.trim() || undefined }), typingMs)
  return (
    <Group
      gap="xs"
      mb="sm"
      align="flex-end"
      className={classes.filters}
      data-open={isOpen || undefined}
    >
      <TextInput
        type="search"
        size="xs"
        className={classes.search}
        label={t(($) => $.contacts.filters.query)}
        leftSection={<Search size="0.875rem" aria-hidden />}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          find(event.currentTarget.value)
        }}
      />
      <Button
        className="narrow-only"
        variant="default"
        size="xs"
        aria-expanded={isOpen}
        onClick={open.toggle}
      >
        {t(($) => $.contacts.filters.more)}
      </Button>
      <TagsInput
        size="xs"
        className={classes.words}
        label={t(($) => $.contacts.filters.seniorities)}
        data={seniorities}
        value={filter.seniorities ?? []}
        onChange={(values) => set({ seniorities: values })}
      />
      {wordFilters.map((name) => (
        <TagsInput
          key={name}
          size="xs"
          className={classes.words}
          label={t(($) => $.contacts.filters[name])}
          value={filter[name] ?? []}
          data={name === 'countries' ? countries : []}
          limit={suggestionsMost}
          acceptValueOnBlur
          onChange={(values) => set({ [name]: values })}
        />
      ))}
      <NativeSelect
        size="xs"
        label={t(($) => $.contacts.filters.size)}
        value={filter.size ?? ''}
        onChange={(event) => set({ size: event.currentTarget.value as ContactFilter['size'] })}
        data={[{ value: '', label: t(($) => $.contacts.filters.anySize) }, ...sizeNames]}
      />
      <Switch
        size="xs"
        className={classes.only}
        label={t(($) => $.contacts.filters.onlyNew)}
        checked={filter.only === 'new'}
        onChange={(event) => set({ only: event.currentTarget.checked ? 'new' : undefined })}
      />
      {isFiltered(filter) && (
        <Button
          variant="subtle"
          size="xs"
          onClick={() => {
            setTyped('')
            onChange({})
          }}
        >
          {t(($) => $.common.resetFilters)}
        </Button>
      )}
      <Text size="xs" c="dimmed" ml="auto" className={`${classes.only} numbers`} role="status">
        {total &&
          t(($) => (total.isEstimate ? $.contacts.about : $.contacts.found), {
            count: total.count,
          })}
      </Text>
    </Group>
  )
}
