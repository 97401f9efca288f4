import {
  KeyRound,
  type LucideIcon,
  MailPlus,
  MailX,
  Send,
  Upload,
  UserPlus,
  Webhook,
} from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Role } from '../../features/users/index.ts'

interface PaletteAction {
  id: string
  icon: LucideIcon
  label: string
  /** Who may do it at all. */
  least: Role
  to:
    | '/w/$handle/campaigns'
    | '/w/$handle/leads/import'
    | '/w/$handle/settings/keys'
    | '/w/$handle/settings/members'
    | '/w/$handle/settings/mailboxes/connect'
    | '/w/$handle/settings/suppression'
    | '/w/$handle/settings/webhooks'
  search: { panel?: 'new' | 'invite' | 'add' }
}

/** What somebody does in a workspace: each begins where a page has its button. */
export function usePaletteActions(): PaletteAction[] {
  const { t } = useTranslation()
  return [
    {
      ...{ id: 'new-campaign', icon: Send, label: t(($) => $.campaigns.create), least: 'member' },
      ...{ to: '/w/$handle/campaigns', search: { panel: 'new' } },
    },
    {
      ...{ id: 'import-leads', icon: Upload, label: t(($) => $.leads.import), least: 'member' },
      ...{ to: '/w/$handle/leads/import', search: {} },
    },
    {
      ...{ id: 'connect-mailbox', icon: MailPlus, label: t(($) => $.mailboxes.connect.action) },
      ...{ least: 'admin', to: '/w/$handle/settings/mailboxes/connect', search: {} },
    },
    {
      ...{ id: 'new-key', icon: KeyRound, label: t(($) => $.keys.create), least: 'admin' },
      ...{ to: '/w/$handle/settings/keys', search: { panel: 'new' } },
    },
    {
      ...{ id: 'new-webhook', icon: Webhook, label: t(($) => $.webhooks.create), least: 'admin' },
      ...{ to: '/w/$handle/settings/webhooks', search: { panel: 'new' } },
    },
    {
      ...{ id: 'invite', icon: UserPlus, label: t(($) => $.members.invite), least: 'admin' },
      ...{ to: '/w/$handle/settings/members', search: { panel: 'invite' } },
    },
    {
      ...{ id: 'suppress', icon: MailX, label: t(($) => $.suppression.add), least: 'admin' },
      ...{ to: '/w/$handle/settings/suppression', search: { panel: 'add' } },
    },
  ]
}
