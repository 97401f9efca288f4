import { List, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  getMailboxUseOptions,
  listMailboxesInfiniteQueryKey,
  removeMailboxMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Mailbox } from '../../api/generated/types.gen.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'

interface RemoveMailboxProps {
  mailbox: Mailbox
  opened: boolean
  onClose: () => void
  onDone: () => void
}

/** Asks, because its logins are gone; says which campaigns and leads that touches. */
export function RemoveMailbox({ mailbox, opened, onClose, onDone }: RemoveMailboxProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const path = { id: mailbox.id }
  const use = useQuery({ ...getMailboxUseOptions({ path }), enabled: opened })
  const remove = useMutation({
    ...removeMailboxMutation(),
    onSuccess({ address }) {
      notifications.show({ message: t(($) => $.mailboxes.remove.done, { address }) })
      void cache.invalidateQueries({ queryKey: listMailboxesInfiniteQueryKey() })
    },
  })
  const { campaigns = [], waiting = [] } = use.data ?? {}
  return (
    <ConfirmDialog
      opened={opened}
      title={t(($) => $.mailboxes.remove.title, { address: mailbox.address })}
      body={t(($) => $.mailboxes.remove.body)}
      confirm={t(($) => $.mailboxes.remove.confirm)}
      isBusy={remove.isPending}
      fault={remove.error ?? use.error}
      onConfirm={() => remove.mutate({ path }, { onSuccess: onDone })}
      onClose={onClose}
    >
      {campaigns.length > 0 && (
        <div>
          <Text size="sm">{t(($) => $.mailboxes.remove.campaigns)}</Text>
          <List size="sm">
            {campaigns.map(({ id, name }) => (
              <List.Item key={id}>{name}</List.Item>
            ))}
          </List>
        </div>
      )}
      {waiting.length > 0 && (
        <Text size="sm">
          {t(($) => $.mailboxes.remove.waiting, {
            count: waiting.reduce((sum, { leads }) => sum + leads, 0),
          })}
        </Text>
      )}
    </ConfirmDialog>
  )
}
