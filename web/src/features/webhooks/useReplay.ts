import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { replayWebhookMutation } from '../../api/generated/@tanstack/react-query.gen.ts'
import { useIdempotencyKey } from '../../lib/idempotency-key.ts'
import { readWebhookAgain } from './read-webhook-again.ts'

/** Delivers a window again: once, also when it is asked for again after an answer that got lost. */
export function useReplay() {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const idempotencyKey = useIdempotencyKey()
  const replay = useMutation({
    ...replayWebhookMutation(),
    async onSuccess({ deliveries: count }) {
      idempotencyKey.renew()
      await readWebhookAgain(cache)
      notifications.show({ message: t(($) => $.webhooks.replay.done, { count }) })
    },
  })
  return { replay, idempotencyKey }
}
