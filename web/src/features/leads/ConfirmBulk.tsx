import { useTranslation } from 'react-i18next'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'

interface ConfirmBulkProps {
  action: 'unsubscribe' | 'delete'
  /** How many leads, in words. */
  what: string
  onConfirm: () => void
  onClose: () => void
}

/** Asks, because there is no way back. */
export function ConfirmBulk({ action, what, onConfirm, onClose }: ConfirmBulkProps) {
  const { t } = useTranslation()
  return (
    <ConfirmDialog
      opened
      title={t(($) => $.leads.confirm[action].title, { what })}
      body={t(($) => $.leads.confirm[action].body)}
      confirm={t(($) => $.leads.confirm[action].confirm)}
      isBusy={false}
      fault={null}
      onConfirm={onConfirm}
      onClose={onClose}
    />
  )
}
