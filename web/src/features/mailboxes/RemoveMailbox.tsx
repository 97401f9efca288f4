import { List, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  getMailboxQueryKey,
  getMailboxUseOptions,
  getMailboxUseQueryKey,
  listMailboxesInfiniteQueryKey,
  removeMailboxMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Mailbox } from '../../api/generated/types.gen.ts'
import { useIsHere } from '../../lib/useIsHere.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { QueryFault } from '../../ui/QueryFault.tsx'
import { removalOf } from './removal.ts'

interface RemoveMailboxProps {
  mailbox: Mailbox
  onClose: () => void
  /** Leaves the page. */
  onDone: () => Promise<unknown>
}

/** Asks, because its logins are gone; says which campaigns and leads that touches. */
export function RemoveMailbox({ mailbox, onClose, onDone }: RemoveMailboxProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const path = { id: mailbox.id }
  const isHere = useIsHere()
  const remove = useMutation({
    ...removeMailboxMutation(),
    mutationKey: removalOf(mailbox.id),
    async onSuccess({ address }) {
      notifications.show({ message: t(($) => $.mailboxes.remove.done, { address }) })
      // It is under way until its page is left, which reads nothing of it meanwhile.
      if (isHere.current) await onDone()
      cache.removeQueries({ queryKey: getMailboxQueryKey({ path }) })
      cache.removeQueries({ queryKey: getMailboxUseQueryKey({ path }) })
      void cache.invalidateQueries({ queryKey: listMailboxesInfiniteQueryKey() })
    },
  })
  const use = useQuery({
    ...getMailboxUseOptions({ path }),
    enabled: !remove.isPending,
  })
  const { campaigns = [], waiting = [] } = use.data ?? {}
  return (
    <ConfirmDialog
      title={t(($) => $.mailboxes.remove.title, { address: mailbox.address })}
      body={t(($) => $.mailboxes.remove.body)}
      confirm={t(($) => $.mailboxes.remove.confirm)}
      isPreparing={use.isPending}
      isDisabled={use.data === undefined}
      isBusy={remove.isPending}
      fault={remove.error}
      onConfirm={() => remove.mutate({ path })}
      onClose={onClose}
    >
      <QueryFault query={use} />
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
