import { Drawer } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Webhook } from '../../api/generated/types.gen.ts'
import { useMay } from '../users/index.ts'
import { DeleteWebhook } from './DeleteWebhook.tsx'
import { EditWebhook } from './EditWebhook.tsx'
import { ReplaceSecret } from './ReplaceSecret.tsx'
import { ReplayWindow } from './ReplayWindow.tsx'
import type { WebhookSearch } from './search.ts'

interface WebhookPanelsProps {
  webhook: Webhook
  panel: WebhookSearch['panel']
  /** What was missed and is more than one replay delivers began then. */
  missedSince: string | undefined
  onClose: () => void
}

/** What is being done with a webhook, as the address says. */
export function WebhookPanels(props: WebhookPanelsProps) {
  const { webhook, panel, missedSince, onClose } = props
  const { t } = useTranslation()
  if (!useMay('admin')) return null
  return (
    <>
      <Drawer opened={panel === 'edit'} onClose={onClose} title={t(($) => $.webhooks.actions.edit)}>
        <EditWebhook webhook={webhook} onDone={onClose} />
      </Drawer>
      <Drawer
        opened={panel === 'secret'}
        onClose={onClose}
        title={t(($) => $.webhooks.actions.secret)}
      >
        <ReplaceSecret webhook={webhook} onDone={onClose} />
      </Drawer>
      <ReplayWindow
        key={missedSince}
        webhook={webhook}
        since={missedSince}
        opened={panel === 'replay'}
        onClose={onClose}
      />
      <DeleteWebhook webhook={webhook} opened={panel === 'delete'} onClose={onClose} />
    </>
  )
}
