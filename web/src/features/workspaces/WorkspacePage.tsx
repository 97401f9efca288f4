import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { getWorkspaceOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { LoadingRows } from '../../ui/LoadingRows.tsx'
import { Page } from '../../ui/Page.tsx'
import { Read } from '../../ui/Read.tsx'
import { Section } from '../../ui/Section.tsx'
import { useSignedIn } from '../users/index.ts'
import { Plan } from './Plan.tsx'
import { RenameWorkspace } from './RenameWorkspace.tsx'
import { UnsubscribeByReply } from './UnsubscribeByReply.tsx'

// At the end of the page, and asked for by itself.
const Usage = lazyPart(() => import('./Usage.tsx'), 'Usage')
// Of the operator alone.
const ChangePlan = lazyPart(() => import('./ChangePlan.tsx'), 'ChangePlan')
const route = getRouteApi('/signed-in/w/$handle/settings/workspace')

/** Settings → Workspace. */
export function WorkspacePage() {
  const { t } = useTranslation()
  const workspace = useQuery(getWorkspaceOptions())
  const { is_operator } = useSignedIn().user
  const { panel } = route.useSearch()
  const navigate = route.useNavigate()
  const close = () => void navigate({ search: {} })
  return (
    <Page title={t(($) => $.workspace.title)}>
      <Read query={workspace} rows={5}>
        {(data) => (
          <>
            <Section title={t(($) => $.workspace.name)} lead={t(($) => $.workspace.nameLead)}>
              <RenameWorkspace workspace={data} />
            </Section>
            <Section title={t(($) => $.workspace.replies)} lead={t(($) => $.workspace.repliesLead)}>
              <UnsubscribeByReply workspace={data} />
            </Section>
            <Section title={t(($) => $.workspace.plan)} lead={t(($) => $.workspace.planLead)}>
              <Plan workspace={data} />
              {is_operator && (
                <>
                  <Button
                    variant="default"
                    mt="sm"
                    onClick={() => void navigate({ search: { panel: 'plan' } })}
                  >
                    {t(($) => $.workspace.changePlan)}
                  </Button>
                  <Suspense>
                    {panel === 'plan' && <ChangePlan workspace={data} onDone={close} />}
                  </Suspense>
                </>
              )}
            </Section>
            <Section
              title={t(($) => $.workspace.usage.title)}
              lead={t(($) => $.workspace.usage.body)}
            >
              <Suspense fallback={<LoadingRows rows={6} />}>
                <Usage workspace={data} />
              </Suspense>
            </Section>
          </>
        )}
      </Read>
    </Page>
  )
}
