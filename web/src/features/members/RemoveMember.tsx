import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  listMembersQueryKey,
  removeMemberMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Member } from '../../api/generated/types.gen.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'

interface RemoveMemberProps {
  member: Member
  onClose: () => void
}

export function RemoveMember({ member, onClose }: RemoveMemberProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { id, name } = member
  const remove = useMutation({
    ...removeMemberMutation(),
    async onSuccess() {
      await cache.invalidateQueries({ queryKey: listMembersQueryKey() })
      notifications.show({ message: t(($) => $.members.remove.done, { name }) })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={t(($) => $.members.remove.title, { name })}
      body={t(($) => $.members.remove.body)}
      confirm={t(($) => $.members.remove.confirm)}
      isBusy={remove.isPending}
      fault={remove.error}
      onConfirm={() => remove.mutate({ path: { id } })}
      onClose={onClose}
    />
  )
}
