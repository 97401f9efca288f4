import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { listMailboxesInfiniteOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Mailbox } from '../../api/generated/types.gen.ts'
import { keysetPaging } from '../../lib/keyset-paging.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ListOf } from '../../ui/ListOf.tsx'
import { Table } from '../../ui/Table.tsx'
import { TitleCount } from '../../ui/TitleCount.tsx'
import { MailboxRow } from './MailboxRow.tsx'
import { mailboxPollMs } from './mailbox-health.ts'
import type { MailboxFilter } from './search.ts'

interface MailboxListProps {
  filter: MailboxFilter
  onReset: () => void
  whenEmpty: ReactNode
}

/** Newest first. */
export function MailboxList({ filter, onReset, whenEmpty }: MailboxListProps) {
  const { t } = useTranslation()
  const { search, status } = filter
  const mailboxes = useInfiniteQuery({
    ...listMailboxesInfiniteOptions({
      query: { limit: 50, ...(search ? { search } : {}), ...(status ? { status } : {}) },
    }),
    ...keysetPaging,
    refetchInterval: ({ state }) => mailboxPollMs(state.data?.pages.flatMap(({ items }) => items)),
  })
  const isFiltered = search !== undefined || status !== undefined
  const texts = isFiltered ? 'noMatch' : 'empty'
  return (
    <ListOf
      query={mailboxes}
      rows={6}
      empty={
        <EmptyState
          title={t(($) => $.mailboxes[texts].title)}
          body={t(($) => $.mailboxes[texts].body)}
          action={whenEmpty}
          onReset={isFiltered && onReset}
        />
      }
    >
      {(items) => {
        const ofDomain = firstOfDomains(items)
        return (
          <>
            <TitleCount count={items.length} hasMore={mailboxes.hasNextPage} />
            <Table label={t(($) => $.mailboxes.title)}>
              <thead>
                <tr>
                  <th>{t(($) => $.mailboxes.columns.address)}</th>
                  <th>{t(($) => $.mailboxes.columns.health)}</th>
                  <th className="wide-only">{t(($) => $.mailboxes.columns.domain)}</th>
                  <th className="end wide-only">{t(($) => $.mailboxes.columns.sent)}</th>
                </tr>
              </thead>
              <tbody>
                {items.map((mailbox) => (
                  <MailboxRow
                    key={mailbox.id}
                    mailbox={mailbox}
                    ofDomain={ofDomain.get(domainOf(mailbox)) ?? mailbox.id}
                  />
                ))}
              </tbody>
            </Table>
          </>
        )
      }}
    </ListOf>
  )
}

const domainOf = ({ address }: Mailbox) => address.slice(address.lastIndexOf('@') + 1).toLowerCase()

/** Hundreds of mailboxes have a handful of domains. */
function firstOfDomains(mailboxes: Mailbox[]): Map<string, string> {
  const first = new Map<string, string>()
  for (const mailbox of mailboxes) {
    const domain = domainOf(mailbox)
    if (!first.has(domain)) first.set(domain, mailbox.id)
  }
  return first
}
