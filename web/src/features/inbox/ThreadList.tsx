import { Button, Group, Skeleton } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Fragment, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import {
  countThreadsOptions,
  listThreadsInfiniteOptions,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { keysetPaging } from '../../lib/keyset-paging.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { MoreButton } from '../../ui/MoreButton.tsx'
import { type InboxSearch, threadQueryOf } from './search.ts'
import classes from './ThreadList.module.css'
import { ThreadRow } from './ThreadRow.tsx'
import { useDayHeading } from './useDayHeading.ts'
import { useScrollAnchor } from './useScrollAnchor.ts'

interface ThreadListProps {
  search: InboxSearch
  onOpen: (id: string) => void
  /** Tells their ids, in order. */
  onShow: (ids: string[]) => void
  onReset: () => void
  /** Looks for the same in all conversations. */
  onSearchAll: () => void
}

/** The conversations of a view, newest first. What comes in moves nothing under the reader's eyes. */
export function ThreadList(props: ThreadListProps) {
  const { search, onOpen, onShow, onReset, onSearchAll } = props
  const { t } = useTranslation()
  const frame = useRef<HTMLDivElement>(null)
  const threads = useInfiniteQuery({
    ...listThreadsInfiniteOptions({ query: threadQueryOf(search) }),
    ...keysetPaging,
  })
  const { refetch } = threads
  // The counts are read again while anything is put off: nothing else tells that its time has come.
  const snoozed = useQuery(countThreadsOptions()).data?.snoozed
  const lastSnoozed = useRef(snoozed)
  useEffect(() => {
    if (lastSnoozed.current !== undefined && lastSnoozed.current !== snoozed) void refetch()
    lastSnoozed.current = snoozed
  }, [snoozed, refetch])
  const items = threads.data?.pages.flatMap((page) => page.items) ?? []
  const ids = items.map(({ id }) => id)
  const order = ids.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another order is told
  useEffect(() => onShow(ids), [order, onShow])
  useScrollAnchor(frame, ids)
  const dayHeading = useDayHeading()
  // What was put off stands at the time to which it was.
  const days = items.map((each) => dayHeading(each.snoozed_until ?? each.timestamp_last_message))
  const { thread } = search
  useEffect(() => {
    if (thread)
      frame.current?.querySelector(`[data-id="${thread}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [thread])

  if (threads.isPending) return <LoadingThreads />
  // Whoever has left the workspace is shown no more of it.
  if (threads.isError && (items.length === 0 || threads.error.code === 'workspace_mismatch')) {
    return (
      <div className={classes.notice}>
        <FaultNotice fault={threads.error} onRetry={() => void threads.refetch()} />
      </div>
    )
  }
  if (items.length === 0) {
    const isFiltered = search.label ?? search.mailbox ?? search.unread ?? search.search
    const view = search.view ?? 'waiting'
    if (search.search && view !== 'all') {
      return (
        <EmptyState
          title={t(($) => $.inbox.noMatch.title)}
          body={t(($) => $.inbox.noMatch.inView, { view: t(($) => $.inbox.views[view]) })}
          action={
            <Group justify="center" gap="xs">
              <Button variant="default" onClick={onSearchAll}>
                {t(($) => $.inbox.noMatch.searchAll)}
              </Button>
              <Button variant="default" onClick={onReset}>
                {t(($) => $.common.resetFilters)}
              </Button>
            </Group>
          }
        />
      )
    }
    return isFiltered ? (
      <EmptyState
        title={t(($) => $.inbox.noMatch.title)}
        body={t(($) => $.inbox.noMatch.body)}
        onReset={onReset}
      />
    ) : (
      <EmptyState
        title={t(($) => $.inbox.empty[view].title)}
        body={t(($) => $.inbox.empty[view].body)}
      />
    )
  }
  return (
    <div ref={frame} className={classes.frame}>
      {threads.isError && (
        <FaultNotice fault={threads.error} onRetry={() => void threads.refetch()} />
      )}
      <ul className={classes.list}>
        {items.map((each, at) => (
          <Fragment key={each.id}>
            {days[at] !== days[at - 1] && (
              <li>
                <h2 className={classes.day}>{days[at]}</h2>
              </li>
            )}
            <ThreadRow thread={each} isOpen={each.id === thread} onOpen={onOpen} />
          </Fragment>
        ))}
      </ul>
      <div className={classes.more}>
        <MoreButton pages={threads} />
      </div>
    </div>
  )
}

function LoadingThreads() {
  const { t } = useTranslation()
  return (
    <div role="status" aria-label={t(($) => $.common.loading)}>
      {['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((row) => (
        <div key={row} className={classes.loading}>
          <Skeleton height={10} width="40%" />
          <Skeleton height={10} width="80%" />
          <Skeleton height={10} width="60%" />
        </div>
      ))}
    </div>
  )
}
