import { Anchor, Stack } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Page } from '../../ui/Page.tsx'
import { RoleNeeded } from '../users/index.ts'
import { ImportSteps } from './ImportSteps.tsx'
import { PastImports } from './PastImports.tsx'
import { StartImport } from './StartImport.tsx'

const route = getRouteApi('/signed-in/w/$handle/leads/import')

/** Leads → Import. */
export function ImportPage() {
  const { t } = useTranslation()
  const { id } = route.useSearch()
  const { handle } = route.useParams()
  const navigate = route.useNavigate()
  return (
    <RoleNeeded least="member">
      <Page title={t(($) => $.imports.title)} lead={t(($) => $.imports.lead)}>
        <Stack gap="xl">
          {id ? (
            <>
              <Anchor
                renderRoot={(props) => (
                  <Link {...props} to="/w/$handle/leads/import" params={{ handle }} />
                )}
              >
                {t(($) => $.imports.all)}
              </Anchor>
              <ImportSteps key={id} id={id} />
            </>
          ) : (
            <>
              <StartImport onStarted={(started) => void navigate({ search: { id: started } })} />
              <PastImports />
            </>
          )}
        </Stack>
      </Page>
    </RoleNeeded>
  )
}
