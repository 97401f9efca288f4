import { Skeleton } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense } from 'react'
import type { Campaign } from '../../api/generated/types.gen.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { useMay } from '../users/index.ts'
import { CampaignHead } from './CampaignHead.tsx'
import classes from './CampaignPage.module.css'
import { CampaignTabs } from './CampaignTabs.tsx'
import { LaunchPanel } from './LaunchPanel.tsx'
import { RefusedCopies } from './RefusedCopies.tsx'
import type { Tab } from './search.ts'
import { DraftContext } from './useDraft.ts'
import { useOpenDraft } from './useOpenDraft.ts'
import { useSavingOnLeave } from './useSavingOnLeave.ts'

// Seen by two who write in one campaign at once.
const ChooseVersion = lazyPart(() => import('./ChooseVersion.tsx'), 'ChooseVersion')

const route = getRouteApi('/signed-in/w/$handle/campaigns/$id')

const parts: Record<Tab, ReturnType<typeof lazyPart>> = {
  // The editor is most of what this page weighs.
  steps: lazyPart(() => import('./steps/StepsTab.tsx'), 'StepsTab'),
  schedule: lazyPart(() => import('./schedule/ScheduleTab.tsx'), 'ScheduleTab'),
  options: lazyPart(() => import('./OptionsTab.tsx'), 'OptionsTab'),
  leads: lazyPart(() => import('./LeadsTab.tsx'), 'LeadsTab'),
  preview: lazyPart(() => import('./preview/PreviewTab.tsx'), 'PreviewTab'),
  analytics: lazyPart(() => import('./analytics/AnalyticsTab.tsx'), 'AnalyticsTab'),
  mails: lazyPart(() => import('./mails/MailsTab.tsx'), 'MailsTab'),
}

/** A campaign that is saved while somebody writes in it. */
export function OpenCampaign({ record }: { record: Campaign }) {
  const { tab = 'steps' } = route.useSearch()
  const mayChange = useMay('member')
  const { draft, uncommitted } = useOpenDraft(record, mayChange)
  useSavingOnLeave(draft, uncommitted, record.id)
  const Part = parts[tab]
  return (
    <DraftContext value={{ draft, uncommitted, mayChange }}>
      <div className={classes.page}>
        <CampaignHead />
        <RefusedCopies />
        <CampaignTabs tab={tab} />
        <Suspense fallback={<Skeleton height="16rem" mt="md" />}>
          <Part />
        </Suspense>
      </div>
      <LaunchPanel />
      <Suspense>
        <ChooseVersion />
      </Suspense>
    </DraftContext>
  )
}
