import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Page } from '../../ui/Page.tsx'
import { RoleNeeded } from '../users/index.ts'
import { AuditFilters } from './AuditFilters.tsx'
import { AuditList } from './AuditList.tsx'

const route = getRouteApi('/signed-in/w/$handle/settings/audit')

/** Settings → Audit log. */
export function AuditPage() {
  const { t } = useTranslation()
  const filter = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <RoleNeeded least="admin">
      <Page title={t(($) => $.audit.title)} lead={t(($) => $.audit.lead)}>
        <AuditFilters
          filter={filter}
          onChange={(search) => void navigate({ search, replace: true })}
        />
        <AuditList filter={filter} onReset={() => void navigate({ search: {} })} />
      </Page>
    </RoleNeeded>
  )
}
