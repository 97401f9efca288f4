import { Stack } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { BackLink } from '../../ui/BackLink.tsx'
import { Page } from '../../ui/Page.tsx'
import { RoleNeeded } from '../users/index.ts'
import { ImportSteps } from './ImportSteps.tsx'
import { PastImports } from './PastImports.tsx'
import { StartImport } from './StartImport.tsx'

const route = getRouteApi('/signed-in/w/$handle/leads/import')

/** Leads → Import. */
export function ImportPage() {
  const { t } = useTranslation()
  const { id, campaign } = route.useSearch()
  const { handle } = route.useParams()
  const navigate = route.useNavigate()
  return (
    <RoleNeeded least="member">
      <Page
        title={t(($) => $.imports.title)}
        lead={t(($) => $.imports.lead)}
        back={
          id ? (
            <BackLink to="/w/$handle/leads/import" params={{ handle }} search={{}}>
              {t(($) => $.imports.all)}
            </BackLink>
          ) : (
            <BackLink to="/w/$handle/leads" params={{ handle }} search={{}}>
              {t(($) => $.leads.all)}
            </BackLink>
          )
        }
      >
        <Stack gap="xl">
          {id ? (
            <ImportSteps key={id} id={id} />
          ) : (
            <>
              <StartImport
                campaignId={campaign}
                onStarted={(started) => void navigate({ search: { id: started } })}
              />
              <PastImports />
            </>
          )}
        </Stack>
      </Page>
    </RoleNeeded>
  )
}
