import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import {
  deleteWebhookMutation,
  getWebhookHealthQueryKey,
  getWebhookQueryKey,
  listWebhooksInfiniteQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Webhook } from '../../api/generated/types.gen.ts'
import { useIsHere } from '../../lib/useIsHere.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { useWorkspace } from '../users/index.ts'
import { deletionOf } from './deletion.ts'

interface DeleteWebhookProps {
  webhook: Webhook
  opened: boolean
  onClose: () => void
}

/** Asks, because its secret does not come back. */
export function DeleteWebhook({ webhook, opened, onClose }: DeleteWebhookProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const { handle } = useWorkspace()
  const isHere = useIsHere()
  const path = { id: webhook.id }
  const remove = useMutation({
    ...deleteWebhookMutation(),
    mutationKey: deletionOf(webhook.id),
    async onSuccess({ name }) {
      // It is under way until its page is left, which reads nothing of it meanwhile.
      if (isHere.current) {
        await navigate({ to: '/w/$handle/settings/webhooks', params: { handle } })
      }
      cache.removeQueries({ queryKey: getWebhookQueryKey({ path }) })
      cache.removeQueries({ queryKey: getWebhookHealthQueryKey({ path }) })
      void cache.invalidateQueries({ queryKey: listWebhooksInfiniteQueryKey() })
      notifications.show({ message: t(($) => $.webhooks.delete.done, { name }) })
    },
  })
  if (!opened) return null
  return (
    <ConfirmDialog
      title={t(($) => $.webhooks.delete.title, { name: webhook.name })}
      body={t(($) => $.webhooks.delete.body)}
      confirm={t(($) => $.webhooks.delete.confirm)}
      isBusy={remove.isPending}
      fault={remove.error}
      onConfirm={() => remove.mutate({ path })}
      onClose={onClose}
    />
  )
}
