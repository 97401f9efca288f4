import { Button, Group, NativeSelect, Switch, TagsInput, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { ContactFacets } from '../../api/generated/types.gen.ts'
import { SearchField } from '../../ui/SearchField.tsx'
import classes from './ContactFilters.module.css'
import { CountedOption } from './CountedOption.tsx'
import { countryNames } from './country-names.ts'
import { type CountOf, countOfSize, countryCounts, countsOf, shownCount } from './facet-counts.ts'
import {
  type CompanySize,
  type ContactFilter,
  contactsSearchOf,
  isFiltered,
  seniorities,
  sizeNames,
} from './search.ts'

interface ContactFiltersProps {
  filter: ContactFilter
  total: { count: number; isEstimate: boolean } | undefined
  /** Undefined until they are counted. */
  facets: ContactFacets | undefined
  /** Somebody goes to a filter. */
  onLook: () => void
  onChange: (filter: ContactFilter) => void
}

const suggestionsMost = 8
const countersOf = { seniorities: countsOf, industries: countsOf, countries: countryCounts }
const wordFilters = ['titles', 'companies', 'industries', 'countries'] as const

export function ContactFilters({ filter, total, facets, onLook, onChange }: ContactFiltersProps) {
  const { t } = useTranslation()
  const set = (changes: ContactFilter) => onChange(contactsSearchOf({ ...filter, ...changes }))
  const countries = useMemo(countryNames, [])
  // On a telephone: what is set is seen.
  const [isOpen, open] = useDisclosure(isFiltered({ ...filter, q: undefined }))
  const counted = (name: keyof typeof countersOf) => {
    const facet = facets?.[name]
    const countOf: CountOf = facet ? countersOf[name](facet) : () => undefined
    return ({ option }: { option: { value: string } }) => (
      <CountedOption
        value={option.value}
        count={countOf(option.value)}
        isEstimate={facet?.is_estimate ?? false}
      />
    )
  }
  const sizeLabel = (size: CompanySize) => {
    const facet = facets?.employee_count
    if (!facet) return size
    const count = countOfSize(facet, size)
    return `${size} (${shownCount(count, facet.is_estimate)})`
  }
  return (
    <Group
      onFocusCapture={onLook}
      gap="xs"
      mb="sm"
      align="flex-end"
      className={classes.filters}
      data-open={isOpen || undefined}
    >
      <SearchField
        size="xs"
        className={classes.search}
        label={t(($) => $.contacts.filters.query)}
        value={filter.q}
        onChange={(q) => set({ q })}
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
        renderOption={counted('seniorities')}
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
          data={
            name === 'countries'
              ? countries
              : name === 'industries'
                ? (facets?.industries.values.map(({ value }) => value) ?? [])
                : []
          }
          {...((name === 'countries' || name === 'industries') && { renderOption: counted(name) })}
          limit={suggestionsMost}
          acceptValueOnBlur
          onChange={(values) => set({ [name]: values })}
        />
      ))}
      <NativeSelect
        size="xs"
        className={classes.size}
        label={t(($) => $.contacts.filters.size)}
        value={filter.size ?? ''}
        onChange={(event) => set({ size: event.currentTarget.value as ContactFilter['size'] })}
        data={[
          { value: '', label: t(($) => $.contacts.filters.anySize) },
          ...sizeNames.map((value) => ({ value, label: sizeLabel(value) })),
        ]}
      />
      <Switch
        size="xs"
        className={classes.only}
        label={t(($) => $.contacts.filters.onlyNew)}
        checked={filter.only === 'new'}
        onChange={(event) => set({ only: event.currentTarget.checked ? 'new' : undefined })}
      />
      {isFiltered(filter) && (
        <Button variant="subtle" size="xs" onClick={() => onChange({})}>
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
