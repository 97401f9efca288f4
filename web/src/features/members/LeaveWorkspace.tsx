import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { leaveWorkspaceMutation } from '../../api/generated/@tanstack/react-query.gen.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { useWorkspace } from '../users/index.ts'

export function LeaveWorkspace({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const { name } = useWorkspace()
  const leave = useMutation({
    ...leaveWorkspaceMutation(),
    // Nothing that the browser holds of the workspace is kept: the first page is loaded anew.
    onSuccess: () => location.assign('/'),
  })
  return (
    <ConfirmDialog
      title={t(($) => $.members.leave.title, { name })}
      body={t(($) => $.members.leave.body)}
      confirm={t(($) => $.members.leave.confirm)}
      isBusy={leave.isPending || leave.isSuccess}
      fault={leave.error}
      onConfirm={() => leave.mutate({})}
      onClose={onClose}
    />
  )
}
