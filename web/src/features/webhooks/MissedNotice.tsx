import { Alert, Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  countMissedEventsOptions,
  dismissMissedEventsMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { QueryFault } from '../../ui/QueryFault.tsx'
import { showUndo } from '../../ui/showUndo.tsx'
import { readWebhookAgain } from './read-webhook-again.ts'
import { replayMax } from './replay-max.ts'
import { useReplay } from './useReplay.ts'

interface MissedNoticeProps {
  id: string
  /** More was missed than one replay delivers, from this moment on. */
  onTooMany: (from: string) => void
}

/** What a webhook that goes on has missed while it was off, until somebody replays or dismisses it. */
export function MissedNotice({ id, onTooMany }: MissedNoticeProps) {
  const { t } = useTranslation()
  const path = { id }
  // What was counted while it was off says nothing of what is left to replay.
  const missed = useQuery({ ...countMissedEventsOptions({ path }), staleTime: 0 })
  const { replay, idempotencyKey } = useReplay()
  const cache = useQueryClient()
  const dismissal = useMutation({
    ...dismissMissedEventsMutation(),
    onError: ({ message }) => notifications.show({ color: 'red', message }),
    async onSuccess(_, { body: { from, dismissed } }) {
      if (dismissed) {
        showUndo(
          t(($) => $.webhooks.missed.dismissed),
          () => dismissal.mutate({ path, body: { from, dismissed: false } }),
        )
      }
      await readWebhookAgain(cache)
    },
  })
  if (!missed.data) return <QueryFault query={missed} />
  const { deliveries: count, is_estimate, from, to, ended_from } = missed.data
  if (!from || !to || (count === 0 && !is_estimate)) return null
  const isTooMany = count > replayMax
  return (
    <Alert role="status" color="ink" my="sm">
      <Group justify="space-between">
        <Text size="sm">
          {isTooMany
            ? t(($) => $.webhooks.missed.tooMany)
            : t(($) => $.webhooks.missed[is_estimate ? 'atLeast' : 'some'], { count })}
        </Text>
        <Group gap="xs">
          <Button
            variant="subtle"
            size="xs"
            loading={dismissal.isPending}
            onClick={() => dismissal.mutate({ path, body: { from, dismissed: true } })}
          >
            {t(($) => $.webhooks.missed.dismiss)}
          </Button>
          <Button
            variant="default"
            size="xs"
            loading={replay.isPending}
            onClick={() =>
              isTooMany
                ? onTooMany(ended_from ?? from)
                : replay.mutate({
                    path,
                    headers: idempotencyKey.headers(from),
                    body: { from, to, ...(ended_from ? { ended_from } : {}) },
                  })
            }
          >
            {t(($) => $.webhooks.missed[isTooMany ? 'window' : 'submit'])}
          </Button>
        </Group>
      </Group>
      {replay.isError && <FaultNotice fault={replay.error} />}
    </Alert>
  )
}
