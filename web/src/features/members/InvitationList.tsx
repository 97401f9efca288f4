import { Button, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  deleteInvitationMutation,
  listInvitationsOptions,
  listInvitationsQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { LoadingRows } from '../../ui/LoadingRows.tsx'
import { MailAddress } from '../../ui/MailAddress.tsx'
import { Moment } from '../../ui/Moment.tsx'
import { Table } from '../../ui/Table.tsx'

/** Links that somebody can still use. */
export function InvitationList() {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const invitations = useQuery(listInvitationsOptions())
  const revoke = useMutation({
    ...deleteInvitationMutation(),
    onSuccess: () => cache.invalidateQueries({ queryKey: listInvitationsQueryKey() }),
    onError: ({ message }) => notifications.show({ color: 'red', message }),
  })
  if (invitations.isPending) return <LoadingRows rows={1} />
  if (invitations.isError) {
    return <FaultNotice fault={invitations.error} onRetry={() => void invitations.refetch()} />
  }
  const { items } = invitations.data
  if (items.length === 0) return <Text c="dimmed">{t(($) => $.invitations.none)}</Text>
  return (
    <Table label={t(($) => $.invitations.title)}>
      <thead>
        <tr>
          <th>{t(($) => $.signIn.email)}</th>
          <th className="wide-only">{t(($) => $.members.columns.role)}</th>
          <th>{t(($) => $.invitations.expires)}</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {items.map(({ id, email, role, timestamp_expires }) => (
          <tr key={id}>
            <th scope="row">
              <MailAddress value={email} />
            </th>
            <td className="wide-only">{t(($) => $.roles[role].name)}</td>
            <td>
              <Moment at={timestamp_expires} />
            </td>
            <td className="end">
              <Button
                variant="subtle"
                size="compact-sm"
                color="red"
                aria-label={t(($) => $.invitations.revokeOf, { email })}
                loading={revoke.isPending && revoke.variables.path.id === id}
                onClick={() => revoke.mutate({ path: { id } })}
              >
                {t(($) => $.invitations.revoke)}
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}
