import { ActionIcon, Tooltip } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { syncMailboxesMutation } from '../../api/generated/@tanstack/react-query.gen.ts'
import { useIdempotencyKey } from '../../lib/idempotency-key.ts'
import { useMay } from '../users/index.ts'
import { readInboxAgain } from './refresh.ts'

/** Reads the mailboxes now; they are read by themselves as well. */
export function SyncButton() {
  const { t } = useTranslation()
  const mayChange = useMay('member')
  const cache = useQueryClient()
  const idempotencyKey = useIdempotencyKey()
  const sync = useMutation({
    ...syncMailboxesMutation(),
    onSettled: idempotencyKey.renew,
    async onSuccess({ items }) {
      await readInboxAgain(cache)
      const failed = items.filter(({ error }) => error !== null)
      const [first] = failed
      if (first) {
        const count = failed.length - 1
        const message = t(($) => (count === 0 ? $.inbox.notSynced : $.inbox.notSyncedMany), {
          ...{ address: first.address, count, error: first.error },
        })
        return void notifications.show({ color: 'red', message })
      }
      const count = items.reduce((sum, { mails }) => sum + mails, 0)
      notifications.show({ message: t(($) => $.inbox.synced, { count }) })
    },
    onError: ({ message }) => notifications.show({ color: 'red', message }),
  })
  if (!mayChange) return null
  const label = t(($) => $.inbox.sync)
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={label}
        loading={sync.isPending}
        onClick={() => sync.mutate({ headers: idempotencyKey.headers() })}
      >
        <RefreshCw size="1rem" aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}
