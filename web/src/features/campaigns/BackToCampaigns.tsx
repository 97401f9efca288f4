import { useTranslation } from 'react-i18next'
import { BackLink } from '../../ui/BackLink.tsx'
import { useWorkspace } from '../users/index.ts'

export function BackToCampaigns() {
  const { t } = useTranslation()
  const { handle } = useWorkspace()
  return (
    <BackLink to="/w/$handle/campaigns" params={{ handle }}>
      {t(($) => $.campaigns.toList)}
    </BackLink>
  )
}
