import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  countThreadsOptions,
  getMailboxOptions,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { isAutomatic, useStatusName } from '../labels/index.ts'
import { type InboxSearch, views } from './search.ts'
import { ViewButton } from './ViewButton.tsx'
import classes from './ViewNav.module.css'

interface ViewNavProps {
  search: InboxSearch
  onGo: (changes: InboxSearch) => void
}

/** What can be looked at, with how much of it there is to do. */
export function ViewNav({ search, onGo }: ViewNavProps) {
  const { t } = useTranslation()
  const nameOf = useStatusName()
  const counts = useQuery(countThreadsOptions()).data
  const labels = (counts?.by_label ?? []).filter(({ label }) => !isAutomatic(label))
  const mailboxes = counts?.by_mailbox ?? []
  // One that is looked at is there, too, when nothing of it waits.
  const isCounted = mailboxes.some(({ mailbox_id }) => mailbox_id === search.mailbox)
  const path = { id: search.mailbox ?? '' }
  const isAlone = search.mailbox !== undefined && counts !== undefined && !isCounted
  const alone = useQuery({ ...getMailboxOptions({ path }), enabled: isAlone })
  const nameOfAlone = alone.isPending ? t(($) => $.inbox.mailbox) : alone.data?.address
  const shown = isAlone
    ? [...mailboxes, { mailbox_id: path.id, address: nameOfAlone ?? null, waiting: 0 }]
    : mailboxes
  const chosen = search.view ?? views[0]
  return (
    <nav className={classes.nav} aria-label={t(($) => $.inbox.views.title)}>
      <ul>
        {views.map((view) => (
          <ViewButton
            key={view}
            name={t(($) => $.inbox.views[view])}
            count={view === 'all' || view === 'done' ? undefined : counts?.[view]}
            isChosen={view === chosen}
            onChoose={() => onGo({ view: view === views[0] ? undefined : view, thread: undefined })}
          />
        ))}
        <ViewButton
          name={t(($) => $.inbox.views.unread)}
          count={counts?.unread}
          isChosen={search.unread === true}
          // It counts those of all views.
          onChoose={() =>
            onGo(
              search.unread
                ? { view: undefined, unread: undefined, thread: undefined }
                : { view: 'all', unread: true, thread: undefined },
            )
          }
        />
      </ul>
      {(labels.length > 0 || search.label) && (
        <section>
          <h2>{t(($) => $.inbox.byLabel)}</h2>
          <ul>
            {withChosen(labels, search.label).map(({ label, waiting }) => (
              <ViewButton
                key={label}
                name={nameOf(label)}
                count={waiting}
                isChosen={label === search.label}
                onChoose={() => onGo({ label: label === search.label ? undefined : label })}
              />
            ))}
          </ul>
        </section>
      )}
      {(mailboxes.length > 1 || search.mailbox) && (
        <section>
          <h2>{t(($) => $.inbox.byMailbox)}</h2>
          <ul>
            {shown.map(({ mailbox_id, address, waiting }) => (
              <ViewButton
                key={mailbox_id}
                name={address ?? t(($) => $.inbox.removedMailbox)}
                count={waiting}
                isChosen={mailbox_id === search.mailbox}
                onChoose={() =>
                  onGo({ mailbox: mailbox_id === search.mailbox ? undefined : mailbox_id })
                }
              />
            ))}
          </ul>
        </section>
      )}
    </nav>
  )
}

/** One that is looked at is there, too, when nothing of it waits. */
const withChosen = (labels: { label: string; waiting: number }[], chosen: string | undefined) =>
  chosen === undefined || labels.some(({ label }) => label === chosen)
    ? labels
    : [...labels, { label: chosen, waiting: 0 }]
