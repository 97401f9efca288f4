import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  listMembersQueryKey,
  setMemberRoleMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Member } from '../../api/generated/types.gen.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import type { Role } from '../users/index.ts'

interface SetRoleProps {
  change: { member: Member; role: Role }
  onClose: () => void
}

/** Asked, as one arrow key chooses another role, and what goes with the old one is not given back. */
export function SetRole({ change, onClose }: SetRoleProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { id, name } = change.member
  const role = t(($) => $.roles[change.role].name)
  const update = useMutation({
    ...setMemberRoleMutation(),
    async onSuccess() {
      await cache.invalidateQueries({ queryKey: listMembersQueryKey() })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={t(($) => $.members.setRole.title, { name, role })}
      body={t(($) => $.members.setRole.body)}
      confirm={t(($) => $.members.setRole.confirm)}
      isBusy={update.isPending}
      fault={update.error}
      onConfirm={() => update.mutate({ path: { id }, body: { role: change.role } })}
      onClose={onClose}
    />
  )
}
