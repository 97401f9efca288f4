import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { getWorkspaceOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { LoadingRows } from '../../ui/LoadingRows.tsx'
import { Page } from '../../ui/Page.tsx'
import { Section } from '../../ui/Section.tsx'
import { Plan } from './Plan.tsx'
import { RenameWorkspace } from './RenameWorkspace.tsx'
import { UnsubscribeByReply } from './UnsubscribeByReply.tsx'
import { Usage } from './Usage.tsx'

/** Settings → Workspace. */
export function WorkspacePage() {
  const { t } = useTranslation()
  const workspace = useQuery(getWorkspaceOptions())
  return (
    <Page title={t(($) => $.workspace.title)}>
      {workspace.isPending && <LoadingRows rows={5} />}
      {workspace.isError && (
        <FaultNotice fault={workspace.error} onRetry={() => void workspace.refetch()} />
      )}
      {workspace.data && (
        <>
          <Section title={t(($) => $.workspace.name)} lead={t(($) => $.workspace.nameLead)}>
            <RenameWorkspace workspace={workspace.data} />
          </Section>
          <Section title={t(($) => $.workspace.replies)} lead={t(($) => $.workspace.repliesLead)}>
            <UnsubscribeByReply workspace={workspace.data} />
          </Section>
          <Section title={t(($) => $.workspace.plan)} lead={t(($) => $.workspace.planLead)}>
            <Plan workspace={workspace.data} />
          </Section>
          <Section
            title={t(($) => $.workspace.usage.title)}
            lead={t(($) => $.workspace.usage.body)}
          >
            <Usage workspace={workspace.data} />
          </Section>
        </>
      )}
    </Page>
  )
}
