import { Box, Button, Group, List, Select, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  getMailboxQueryKey,
  getMailboxUseQueryKey,
  handOverMailboxMutation,
  listRemovedMailboxesQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { handOverMailbox } from '../../api/generated/sdk.gen.ts'
import type { Mailbox } from '../../api/generated/types.gen.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { QueryFault } from '../../ui/QueryFault.tsx'
import { useMailboxes } from './useMailboxes.ts'

/** The mailbox that is left, which may be removed. */
type Handed = Pick<Mailbox, 'id' | 'address'>

/** Lets another mailbox go on with the conversations of one, with their number first. */
export function HandOver({ mailbox }: { mailbox: Handed }) {
  const { t } = useTranslation()
  const { mailboxes, query, notRead } = useMailboxes()
  const others = mailboxes.filter(({ id }) => id !== mailbox.id)
  const [to, setTo] = useState<string | null>(null)
  const [isAsking, asking] = useDisclosure()
  return (
    <Box>
      <QueryFault query={query} />
      <Group align="flex-end">
        <Select
          searchable
          label={t(($) => $.mailboxes.handOver.to)}
          data={others.map(({ address }) => address)}
          nothingFoundMessage={notRead}
          value={to}
          onChange={setTo}
        />
        <Button variant="default" disabled={to === null} onClick={asking.open}>
          {t(($) => $.mailboxes.handOver.action)}
        </Button>
        {to !== null && isAsking && (
          <ConfirmHandOver mailbox={mailbox} to={to} onClose={asking.close} />
        )}
      </Group>
    </Box>
  )
}

interface ConfirmHandOverProps {
  mailbox: Handed
  to: string
  onClose: () => void
}

function ConfirmHandOver({ mailbox: { id, address: from }, to, onClose }: ConfirmHandOverProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const preview = useQuery({
    queryKey: ['hand-over', from, to],
    queryFn: async ({ signal }) => {
      const body = { from, to, preview: true }
      return (await handOverMailbox({ body, signal })).data
    },
    gcTime: 0,
  })
  const handOver = useMutation({
    ...handOverMailboxMutation(),
    async onSuccess({ moved, left }) {
      const rest = left === 0 ? [] : [t(($) => $.mailboxes.handOver.left, { count: left })]
      const done = t(($) => $.mailboxes.handOver.done, { to, count: moved ?? 0 })
      notifications.show({ message: [done, ...rest].join(' ') })
      onClose()
      const path = { id }
      await cache.invalidateQueries({ queryKey: listRemovedMailboxesQueryKey() })
      await cache.invalidateQueries({ queryKey: getMailboxQueryKey({ path }) })
      await cache.invalidateQueries({ queryKey: getMailboxUseQueryKey({ path }) })
    },
  })
  const { campaigns = [], is_read = true } = preview.data ?? {}
  const count = campaigns.reduce((sum, { leads }) => sum + leads, 0)
  return (
    <ConfirmDialog
      title={t(($) => $.mailboxes.handOver.title, { to })}
      body={
        preview.data === undefined
          ? t(($) => $.mailboxes.handOver.lead)
          : count === 0
            ? t(($) => $.mailboxes.handOver.nothing, { to })
            : t(($) => $.mailboxes.handOver.body, { to, count })
      }
      confirm={t(($) => $.mailboxes.handOver.confirm)}
      isPreparing={preview.isPending}
      isDisabled={preview.data === undefined}
      isBusy={handOver.isPending}
      fault={handOver.error}
      onConfirm={() => handOver.mutate({ body: { from, to } })}
      onClose={onClose}
    >
      <QueryFault query={preview} />
      {campaigns.length > 0 && (
        <List size="sm">
          {campaigns.map(({ campaign_id, campaign_name, leads }) => (
            <List.Item key={campaign_id}>
              {t(($) => $.mailboxes.handOver.campaign, { name: campaign_name, count: leads })}
            </List.Item>
          ))}
        </List>
      )}
      {!is_read && <Text size="sm">{t(($) => $.mailboxes.handOver.unread, { from })}</Text>}
    </ConfirmDialog>
  )
}
