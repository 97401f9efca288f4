import { Button, Text } from '@mantine/core'
import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { Suspense, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { countContactFacets, findContacts } from '../../api/generated/sdk.gen.ts'
import type { FoundContact } from '../../api/generated/types.gen.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { nothingSelected, type Selection, select } from '../../lib/selection.ts'
import { fullName } from '../../lib/text.ts'
import { useKeysetRows } from '../../lib/useKeysetRows.ts'
import { DataTable } from '../../ui/DataTable/DataTable.tsx'
import { SelectionBar } from '../../ui/DataTable/SelectionBar.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { useMay } from '../users/index.ts'
import classes from './ContactsPage.module.css'
import { contactColumns } from './columns.tsx'
import { bodyOf, type ContactFilter, isFiltered } from './search.ts'

// The list is what somebody came for.
const ContactFilters = lazyPart(() => import('./ContactFilters.tsx'), 'ContactFilters')
const ListField = lazyPart(() => import('./ListField.tsx'), 'ListField')
const RevealMany = lazyPart(() => import('./RevealMany.tsx'), 'RevealMany')

interface SearchContactsProps {
  filter: ContactFilter
  onChange: (filter: ContactFilter) => void
  /** Of one address, in credits. */
  price: number
}

const pageSize = 50

/** The directory: names are free, addresses cost. */
export function SearchContacts({ filter, onChange, price }: SearchContactsProps) {
  const { t } = useTranslation()
  const mayReveal = useMay('member')
  const cache = useQueryClient()
  const [list, setList] = useState(t(($) => $.contacts.list.usual))
  const [selection, setSelection] = useState<Selection>(nothingSelected)
  /** Whether all contacts are chosen that were loaded at that moment. */
  const [isOfLoaded, setOfLoaded] = useState(false)
  const [revealing, setRevealing] = useState<string[]>()
  const body = bodyOf(filter)
  // What was chosen was chosen of another list, however this one was come to.
  const found = JSON.stringify(body)
  const [chosenOf, setChosenOf] = useState(found)
  if (chosenOf !== found) {
    setChosenOf(found)
    setSelection(nothingSelected)
  }
  const totalKey = ['contacts found', body]
  const rows = useKeysetRows<FoundContact>({
    key: [{ _id: 'findContacts', body }],
    async read(starting_after, signal) {
      const page = { ...body, limit: pageSize, ...(starting_after ? { starting_after } : {}) }
      const { data } = await findContacts({ body: page, signal })
      cache.setQueryData(totalKey, { count: data.total, isEstimate: data.total_is_estimate })
      return data
    },
  })
  // Looked at, it stays as long as the list does.
  const { data: total } = useQuery<{ count: number; isEstimate: boolean }>({
    ...{ queryKey: totalKey, queryFn: skipToken },
  })
  // Nobody counts for whom no filter is looked at.
  const [isLookedAt, setLookedAt] = useState(false)
  const { data: facets } = useQuery({
    queryKey: [{ _id: 'countContactFacets', body }],
    queryFn: async ({ signal }) => (await countContactFacets({ body, signal })).data,
    enabled: isLookedAt,
    placeholderData: (before) => before,
  })
  const columns = useMemo(
    () => contactColumns(t, { mayReveal, price, list }),
    [t, mayReveal, price, list],
  )
  const choose = useCallback((ids: string[], isChosen: boolean) => {
    setOfLoaded(false)
    setSelection((before) => select(before, ids, isChosen))
  }, [])
  const chooseAll = (isChosen: boolean) => {
    // Those that were read: each of them may cost something.
    const read = Array.from({ length: rows.count }, (_, index) => rows.at(index)?.id)
    setOfLoaded(isChosen)
    setSelection(isChosen ? select(nothingSelected, read.filter(isText), true) : nothingSelected)
  }
  const chosen = [...selection.ids]
  const texts = isFiltered(filter) ? 'noMatch' : 'empty'
  return (
    <div className={classes.tabs}>
      <div className={classes.filters}>
        <Suspense>
          <ContactFilters
            filter={filter}
            total={total}
            facets={facets}
            onLook={() => setLookedAt(true)}
            onChange={onChange}
          />
        </Suspense>
      </div>
      <div className={classes.panel}>
        <DataTable
          label={t(($) => $.contacts.title)}
          columns={columns}
          rows={rows}
          total={total?.isEstimate ? undefined : total?.count}
          nameOf={fullName}
          {...(mayReveal && { selection, onSelect: choose, onSelectAll: chooseAll })}
          empty={
            <EmptyState
              title={t(($) => $.contacts[texts].title)}
              body={t(($) => $.contacts[texts].body)}
              onReset={isFiltered(filter) && (() => onChange({}))}
            />
          }
        />
      </div>
      <SelectionBar
        selection={selection}
        count={t(($) => (total?.isEstimate ? $.contacts.chosenOfAbout : $.contacts.chosen), {
          chosen: chosen.length,
          count: Math.max(chosen.length, total?.count ?? 0),
        })}
        onClear={() => setSelection(nothingSelected)}
      >
        {isOfLoaded && (rows.hasMore || chosen.length < rows.count) && (
          <Text size="xs">{t(($) => $.contacts.loadedChosen)}</Text>
        )}
        <Suspense>
          <ListField value={list} onChange={setList} />
        </Suspense>
        <Button size="xs" onClick={() => setRevealing(chosen)}>
          {t(($) => $.contacts.revealMany.action, { count: chosen.length })}
        </Button>
      </SelectionBar>
      <Suspense>
        {revealing && (
          <RevealMany
            contactIds={revealing}
            list={list}
            price={price}
            onClose={() => setRevealing(undefined)}
          />
        )}
      </Suspense>
    </div>
  )
}

const isText = (id: string | undefined) => id !== undefined
