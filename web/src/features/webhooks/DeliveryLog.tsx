import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ArrowUp } from 'lucide-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { listWebhookEventsOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { listWebhookEvents } from '../../api/generated/sdk.gen.ts'
import type { WebhookEvent } from '../../api/generated/types.gen.ts'
import { useKeysetRows } from '../../lib/useKeysetRows.ts'
import { DataTable } from '../../ui/DataTable/DataTable.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import classes from './DeliveryLog.module.css'
import { attemptQueryOf, isFiltered, type WebhookSearch } from './search.ts'
import { useLogColumns } from './useLogColumns.tsx'

interface DeliveryLogProps {
  webhookId: string
  /** The webhook is. */
  isActive: boolean
  search: WebhookSearch
  onOpen: (id: string) => void
  onReset: () => void
  /** Once there are rows, or it is known why not: what takes longer is asked for after them. */
  onRead: () => void
}

const pageSize = 50
/** More than so many new rows are "99+". */
const freshMax = 100

/**
 * Attempts as they are made, newest first. What is new is shown at once while the reader is at the
 * top; further down it is only counted, so that nothing moves under their eyes.
 */
export function DeliveryLog(props: DeliveryLogProps) {
  const { webhookId, isActive, search, onOpen, onReset, onRead } = props
  const { t } = useTranslation()
  const cache = useQueryClient()
  const frame = useRef<HTMLDivElement>(null)
  const [isAtTop, setAtTop] = useState(true)
  const columns = useLogColumns(isActive)
  const filter = attemptQueryOf(webhookId, search)
  // Under a name of its own: a live update reads the newest again, and this decides what follows.
  const key = ['delivery-log', filter]
  const newestOptions = listWebhookEventsOptions({ query: { ...filter, limit: freshMax } })
  const rows = useKeysetRows<WebhookEvent>({
    key,
    async read(starting_after, signal) {
      const { data } = await listWebhookEvents({
        query: { ...filter, limit: pageSize, ...(starting_after ? { starting_after } : {}) },
        signal,
      })
      // Until a live update says otherwise nothing is newer than the first page.
      if (cache.getQueryData(newestOptions.queryKey) === undefined)
        cache.setQueryData(newestOptions.queryKey, data)
      return data
    },
  })
  const isRead = !rows.isPending
  const newest = useQuery({ ...newestOptions, enabled: isRead })
  const top = rows.at(0)
  const fresh = isRead
    ? (newest.data?.items.filter(({ id }) => top === undefined || id > top.id).length ?? 0)
    : 0
  const refetchLog = useCallback(
    () => cache.invalidateQueries({ queryKey: ['delivery-log'] }),
    [cache],
  )
  // Also what is there already changes: a retry succeeds, and its first attempt says so.
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again whenever the newest were
  useEffect(() => {
    if (isAtTop && isRead) void refetchLog()
  }, [newest.dataUpdatedAt, isAtTop, refetchLog])
  const isSettled = isRead || rows.fault !== null
  useEffect(() => {
    if (isSettled) onRead()
  }, [isSettled, onRead])
  const goUp = () => {
    frame.current?.querySelector('[role=grid]')?.scrollTo({ top: 0 })
    setAtTop(true)
  }
  const open = useCallback(({ id }: WebhookEvent) => onOpen(id), [onOpen])
  const nameOf = useCallback(({ event_type }: WebhookEvent) => event_type, [])
  return (
    <div
      ref={frame}
      className={classes.log}
      onScrollCapture={({ target }) => setAtTop((target as HTMLElement).scrollTop < 8)}
    >
      {!isAtTop && fresh > 0 && (
        <Button
          size="compact-sm"
          className={classes.fresh}
          leftSection={<ArrowUp size="0.875rem" aria-hidden />}
          onClick={goUp}
        >
          {fresh === freshMax
            ? t(($) => $.webhooks.log.freshMany)
            : t(($) => $.webhooks.log.fresh, { count: fresh })}
        </Button>
      )}
      <DataTable
        label={t(($) => $.webhooks.log.title)}
        columns={columns}
        rows={rows}
        nameOf={nameOf}
        onOpen={open}
        openId={search.attempt}
        empty={
          isFiltered(search) ? (
            <EmptyState
              title={t(($) => $.webhooks.log.noMatch)}
              body={t(($) => $.webhooks.log.noMatchBody)}
              onReset={onReset}
            />
          ) : (
            <EmptyState
              title={t(($) => $.webhooks.log.empty)}
              body={t(($) => $.webhooks.log.emptyBody)}
            />
          )
        }
      />
    </div>
  )
}
