import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useCallback, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '../../lib/lazy-part.ts'
import { usePageInTitle } from '../../lib/tab-title.ts'
import { useIsHere } from '../../lib/useIsHere.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { useLabelChoices } from '../labels/index.ts'
import classes from './InboxPage.module.css'
import { type InboxActions, useInboxShortcuts } from './inbox-shortcuts.ts'
import { LoadingThread } from './LoadingThread.tsx'
import type { FocusHandle } from './ReplyText.tsx'
import { ShortcutHint } from './ShortcutHint.tsx'
import { SyncButton } from './SyncButton.tsx'
import type { InboxSearch } from './search.ts'
import { ThreadList } from './ThreadList.tsx'
import { useThreadChanges } from './useThreadChanges.ts'
import { ViewNav } from './ViewNav.tsx'

// Nothing is open when somebody comes here first.
const Thread = lazyPart(() => import('./Thread.tsx'), 'Thread')

const route = getRouteApi('/signed-in/w/$handle/inbox')

/** Views, the conversations of one, and the one that is open; all of it stands in the address. */
export function InboxPage() {
  const { t } = useTranslation()
  usePageInTitle(t(($) => $.places.inbox))
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const go = useCallback(
    (changes: InboxSearch, replace = false) =>
      void navigate({ search: (before) => ({ ...before, ...changes }), replace }),
    [navigate],
  )
  const open = useCallback(
    (thread: string | undefined, replace = false) => go({ thread }, replace),
    [go],
  )
  // In the order in which they are shown, for the keys that move.
  const [shown, setShown] = useState<string[]>([])
  const changes = useThreadChanges()
  const isHere = useIsHere()
  const { choices, keys } = useLabelChoices()
  const reply = useRef<FocusHandle>(null)
  const snooze = useRef<HTMLButtonElement>(null)
  const searchField = useRef<HTMLInputElement>(null)

  const { thread } = search
  const at = thread ? shown.indexOf(thread) : -1
  // Once the open one has left the list, those beside it are where it was.
  const lastAt = useRef(0)
  if (at !== -1) lastAt.current = at
  const next = (step: 1 | -1) => {
    if (!thread) return shown[step === 1 ? 0 : shown.length - 1]
    if (at === -1) return shown[step === 1 ? lastAt.current : lastAt.current - 1]
    return shown[at + step]
  }
  const finish = (id: string) => {
    const following = next(1) ?? next(-1)
    // By then its reader may be on another page, also of another workspace.
    void changes.setDone(id, true, () => isHere.current && open(id, true))
    // What is done leaves all other views: go on with the next one.
    if (search.view !== 'all' && search.view !== 'done') open(following, true)
  }
  const actions: InboxActions = {
    move: (step) => {
      const id = next(step)
      if (id) open(id, thread !== undefined)
    },
    reply: () => reply.current?.focus(),
    done: () => thread && finish(thread),
    snooze: () => snooze.current?.click(),
    search: () => searchField.current?.focus(),
    unread: () => {
      if (!thread) return
      void changes.setRead(thread, false)
      open(undefined)
    },
    label: (at) => {
      const choice = at < keys ? choices[at] : undefined
      if (thread && choice) void changes.setLabel(thread, choice)
    },
    undo: () => changes.undo((id) => id === thread || open(id, thread !== undefined)),
    close: () => thread && open(undefined),
  }
  useInboxShortcuts(actions)

  return (
    <div className={classes.page} data-fill data-open={thread ? true : undefined}>
      <h1 className={classes.title}>{t(($) => $.places.inbox)}</h1>
      <ViewNav search={search} onGo={go} />
      <section className={classes.list} aria-label={t(($) => $.inbox.conversations)}>
        <div className={classes.head}>
          <SearchField
            ref={searchField}
            flex={1}
            size="xs"
            aria-label={t(($) => $.inbox.search)}
            placeholder={t(($) => $.inbox.search)}
            clear={t(($) => $.inbox.clear)}
            value={search.search}
            onChange={(text) => go({ search: text }, true)}
          />
          <SyncButton />
        </div>
        <ThreadList
          search={search}
          onOpen={open}
          onShow={setShown}
          onReset={() => go(reset)}
          onSearchAll={() => go({ ...reset, view: 'all', search: search.search })}
        />
        <ShortcutHint />
      </section>
      {thread ? (
        <Suspense fallback={<LoadingThread />}>
          <Thread
            key={thread}
            id={thread}
            search={search.search}
            replyRef={reply}
            snoozeRef={snooze}
            onClose={() => open(undefined)}
            onDone={() => finish(thread)}
            onUnread={actions.unread}
          />
        </Suspense>
      ) : (
        <div className={classes.nothing}>
          {shown.length > 0 && (
            <EmptyState
              title={t(($) => $.inbox.choose.title)}
              body={t(($) => $.inbox.choose.body)}
            />
          )}
        </div>
      )}
    </div>
  )
}

const reset: InboxSearch = {
  ...{ label: undefined, mailbox: undefined, unread: undefined, search: undefined },
}
