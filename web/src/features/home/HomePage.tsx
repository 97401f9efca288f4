import { Skeleton, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { getHomeOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { Page } from '../../ui/Page.tsx'
import { Read } from '../../ui/Read.tsx'
import { useWorkspace } from '../users/index.ts'
import { AttentionList } from './AttentionList.tsx'
import { Checklist, isChecklistDone } from './Checklist.tsx'
import { WaitingReplies } from './WaitingReplies.tsx'

// Below what matters, and larger than all of it.
const Charts = lazyPart(() => import('./Charts.tsx'), 'Charts')

/** What there is to do, the most urgent first: begin, mend, answer, look. */
export function HomePage() {
  const { t } = useTranslation()
  const { name } = useWorkspace()
  // Runners fall silent, and schedules end, by the clock alone.
  const home = useQuery({ ...getHomeOptions(), refetchInterval: 60_000 })
  return (
    <Page title={t(($) => $.home.title)} lead={t(($) => $.home.lead, { name })}>
      <Stack gap="xl">
        <Read query={home} rows={4}>
          {({ checklist, attention }) => (
            <>
              {!isChecklistDone(checklist) && <Checklist done={checklist} />}
              <AttentionList items={attention} />
            </>
          )}
        </Read>
        <WaitingReplies />
        <Suspense fallback={<Skeleton height={380} />}>
          <Charts />
        </Suspense>
      </Stack>
    </Page>
  )
}
