import { ActionIcon, Button, Group, Menu } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Ellipsis, KeyRound, Pause, Pencil, Play, RotateCcw, Send, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import {
  testWebhookMutation,
  updateWebhookMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Webhook } from '../../api/generated/types.gen.ts'
import { useMay } from '../users/index.ts'
import { readWebhookAgain } from './read-webhook-again.ts'
import type { WebhookSearch } from './search.ts'

interface WebhookActionsProps {
  webhook: Webhook
  onPanel: (panel: WebhookSearch['panel']) => void
}

/** What can be done with a webhook, the usual in sight and the rest in a menu. */
export function WebhookActions({ webhook, onPanel }: WebhookActionsProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { id } = webhook
  const isActive = webhook.status === 'active'
  const warn = (message: string) => notifications.show({ color: 'red', message })
  const test = useMutation({
    ...testWebhookMutation(),
    onSuccess({ success, response_time_ms, error }) {
      const count = Math.round(response_time_ms)
      if (success) notifications.show({ message: t(($) => $.webhooks.test.delivered, { count }) })
      else warn(t(($) => $.webhooks.test.failed, { error }))
    },
    onError: ({ message }) => warn(message),
    onSettled: () => readWebhookAgain(cache),
  })
  // What it has missed is offered by the notice of its page, once it goes on.
  const change = useMutation({
    ...updateWebhookMutation(),
    onSuccess: ({ status }) =>
      notifications.show({ message: t(($) => $.webhooks.changed[status]) }),
    onError: ({ message }) => warn(message),
    onSettled: () => readWebhookAgain(cache),
  })
  if (!useMay('admin')) return null
  const item = (panel: NonNullable<WebhookSearch['panel']>, Icon: typeof Pencil) => (
    <Menu.Item
      leftSection={<Icon size="1rem" aria-hidden />}
      color={panel === 'delete' ? 'red' : undefined}
      onClick={() => onPanel(panel)}
    >
      {t(($) => $.webhooks.actions[panel])}
    </Menu.Item>
  )
  return (
    <Group gap="xs" wrap="nowrap">
      {isActive ? (
        <Button
          variant="default"
          leftSection={<Pause size="1rem" aria-hidden />}
          loading={change.isPending}
          onClick={() => change.mutate({ path: { id }, body: { status: 'disabled' } })}
        >
          {t(($) => $.webhooks.actions.pause)}
        </Button>
      ) : (
        <Button
          leftSection={<Play size="1rem" aria-hidden />}
          loading={change.isPending}
          onClick={() => change.mutate({ path: { id }, body: { status: 'active' } })}
        >
          {t(($) => $.webhooks.actions.resume)}
        </Button>
      )}
      <Button
        variant={isActive ? 'filled' : 'default'}
        leftSection={<Send size="1rem" aria-hidden />}
        loading={test.isPending}
        onClick={() => test.mutate({ path: { id } })}
      >
        {t(($) => $.webhooks.actions.test)}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon
            variant="default"
            size="input-sm"
            aria-label={t(($) => $.webhooks.actions.more)}
          >
            <Ellipsis size="1rem" aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {item('edit', Pencil)}
          {item('secret', KeyRound)}
          {item('replay', RotateCcw)}
          <Menu.Divider />
          {item('delete', Trash2)}
        </Menu.Dropdown>
      </Menu>
    </Group>
  )
}
