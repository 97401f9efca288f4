import { Button, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  deleteInvitationMutation,
  listInvitationsOptions,
  listInvitationsQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { ListOf } from '../../ui/ListOf.tsx'
import { MailAddress } from '../../ui/MailAddress.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Table } from '../../ui/Table.tsx'
import { isAtLeast, useWorkspace } from '../users/index.ts'

/** Links that somebody can still use. */
export function InvitationList() {
  const { t } = useTranslation()
  const { role: own } = useWorkspace()
  const cache = useQueryClient()
  const [withdrawn, setWithdrawn] = useState<{ id: string; email: string }>()
  const invitations = useQuery(listInvitationsOptions())
  const revoke = useMutation({
    ...deleteInvitationMutation(),
    async onSuccess() {
      await cache.invalidateQueries({ queryKey: listInvitationsQueryKey() })
      setWithdrawn(undefined)
    },
  })
  return (
    <ListOf
      query={invitations}
      rows={1}
      empty={<Text c="dimmed">{t(($) => $.invitations.none)}</Text>}
    >
      {(items) => (
        <>
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
                    <RelativeTime at={timestamp_expires} />
                  </td>
                  <td className="end">
                    {/* Owners are made and unmade by owners. */}
                    {isAtLeast(own, role) && (
                      <Button
                        variant="subtle"
                        size="compact-sm"
                        color="red"
                        aria-label={t(($) => $.invitations.revokeOf, { email })}
                        onClick={() => setWithdrawn({ id, email })}
                      >
                        {t(($) => $.invitations.revoke)}
                      </Button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </Table>
          {withdrawn && (
            <ConfirmDialog
              title={t(($) => $.invitations.withdraw.title, { email: withdrawn.email })}
              body={t(($) => $.invitations.withdraw.body)}
              confirm={t(($) => $.invitations.revoke)}
              isBusy={revoke.isPending}
              fault={revoke.error}
              onConfirm={() => revoke.mutate({ path: { id: withdrawn.id } })}
              onClose={() => setWithdrawn(undefined)}
            />
          )}
        </>
      )}
    </ListOf>
  )
}
