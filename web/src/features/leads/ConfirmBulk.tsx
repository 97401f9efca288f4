import { useTranslation } from 'react-i18next'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'

interface ConfirmBulkProps {
  action: 'unsubscribe' | 'delete' | 'set_status' | 'pause' | 'resume'
  /** How many leads, in words. */
  what: string
  /** To which they are set. */
  statusName?: string | undefined
  onConfirm: () => void
  onClose: () => void
}

/** Asks, because there is no way back. */
export function ConfirmBulk(props: ConfirmBulkProps) {
  const { action, what, statusName = '', onConfirm, onClose } = props
  const { t } = useTranslation()
  return (
    <ConfirmDialog
      title={t(($) => $.leads.confirm[action].title, { what, status: statusName })}
      body={t(($) => $.leads.confirm[action].body)}
      confirm={t(($) => $.leads.confirm[action].confirm)}
      isBusy={false}
      fault={null}
      onConfirm={onConfirm}
      onClose={onClose}
    />
  )
}
