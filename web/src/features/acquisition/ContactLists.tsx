import { Anchor, Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { listAcquireListsInfiniteOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { keysetPaging } from '../../lib/keyset-paging.ts'
import { numberText } from '../../lib/number.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ListOf } from '../../ui/ListOf.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Table } from '../../ui/Table.tsx'
import { ContactListPanel } from './ContactListPanel.tsx'

interface ContactListsProps {
  /** The id of the list that is shown beside the others. */
  open: string | undefined
  onOpen: (list: string | undefined) => void
  onSearch: () => void
}

/** Lists of revealed contacts, newest first. */
export function ContactLists({ open, onOpen, onSearch }: ContactListsProps) {
  const { t } = useTranslation()
  const lists = useInfiniteQuery({
    ...listAcquireListsInfiniteOptions({ query: { limit: 50 } }),
    ...keysetPaging,
  })
  return (
    <ListOf
      query={lists}
      rows={5}
      empty={
        <EmptyState
          title={t(($) => $.contacts.noLists.title)}
          body={t(($) => $.contacts.noLists.body)}
          action={<Button onClick={onSearch}>{t(($) => $.contacts.noLists.action)}</Button>}
        />
      }
    >
      {(items) => (
        <>
          <Table label={t(($) => $.contacts.views.lists)}>
            <thead>
              <tr>
                <th>{t(($) => $.contacts.columns.list)}</th>
                <th className="end">{t(($) => $.contacts.columns.contacts)}</th>
                <th className="end wide-only">{t(($) => $.contacts.columns.made)}</th>
              </tr>
            </thead>
            <tbody>
              {items.map(({ id, name, lead_count, timestamp_created }) => (
                <tr key={id}>
                  <th scope="row">
                    <Anchor
                      component="button"
                      size="sm"
                      fw={500}
                      ta="start"
                      onClick={() => onOpen(id)}
                    >
                      {name}
                    </Anchor>
                  </th>
                  <td className="numbers end">{numberText(lead_count)}</td>
                  <td className="end wide-only">
                    <RelativeTime at={timestamp_created} />
                  </td>
                </tr>
              ))}
            </tbody>
          </Table>
          {open && (
            <ContactListPanel
              key={open}
              id={open}
              name={items.find(({ id }) => id === open)?.name}
              onClose={() => onOpen(undefined)}
            />
          )}
        </>
      )}
    </ListOf>
  )
}
