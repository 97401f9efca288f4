import { Button, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { RotateCcw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import {
  getWebhookEventOptions,
  replayWebhookMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Webhook } from '../../api/generated/types.gen.ts'
import { useIdempotencyKey } from '../../lib/idempotency-key.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { Read } from '../../ui/Read.tsx'
import { SidePanel } from '../../ui/SidePanel.tsx'
import { useMay } from '../users/index.ts'
import { AttemptFacts } from './AttemptFacts.tsx'
import { readWebhookAgain } from './read-webhook-again.ts'
import { SentRequest } from './SentRequest.tsx'
import { useEventNames } from './useEventNames.ts'

interface AttemptPanelProps {
  id: string
  webhook: Webhook
  onClose: () => void
}

/** One attempt: what was sent, what came back, and what happens next. */
export function AttemptPanel({ id, webhook, onClose }: AttemptPanelProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const idempotencyKey = useIdempotencyKey()
  const { nameOf } = useEventNames()
  const mayManage = useMay('admin')
  const attempt = useQuery(getWebhookEventOptions({ path: { id } }))
  const replay = useMutation({
    ...replayWebhookMutation(),
    async onSuccess() {
      idempotencyKey.renew()
      await readWebhookAgain(cache)
      notifications.show({ message: t(($) => $.webhooks.panel.replayed) })
    },
  })
  const isActive = webhook.status === 'active'
  const canReplay = mayManage && attempt.data && isActive
  return (
    <SidePanel
      title={attempt.data ? nameOf(attempt.data.event_type) : t(($) => $.webhooks.panel.title)}
      onClose={onClose}
      actions={
        canReplay && (
          <Button
            variant="default"
            size="xs"
            leftSection={<RotateCcw size="0.875rem" aria-hidden />}
            loading={replay.isPending}
            onClick={() =>
              replay.mutate({
                path: { id: webhook.id },
                headers: idempotencyKey.headers(),
                body: { webhook_event_id: attempt.data.id },
              })
            }
          >
            {t(($) => $.webhooks.panel.replay)}
          </Button>
        )
      }
    >
      {mayManage && !isActive && (
        <Text size="sm" mb="md">
          {t(($) => $.webhooks.replay.paused)}
        </Text>
      )}
      {replay.isError && <FaultNotice fault={replay.error} />}
      <Read query={attempt} rows={6}>
        {(data) => (
          <>
            <AttemptFacts attempt={data} isActive={isActive} />
            <SentRequest id={id} />
          </>
        )}
      </Read>
    </SidePanel>
  )
}
