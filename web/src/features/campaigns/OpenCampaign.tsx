import { Skeleton } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useBlocker } from '@tanstack/react-router'
import { Suspense, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useConnection } from '../../api/connection.ts'
import {
  forecastCampaignQueryKey,
  getCampaignQueryKey,
  listCampaignSummariesInfiniteQueryKey,
  readCampaignReadinessQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { getCampaign, updateCampaign } from '../../api/generated/sdk.gen.ts'
import type { Campaign } from '../../api/generated/types.gen.ts'
import { sessionSignal, whenSigningOut } from '../../api/sign-out.ts'
import { briefly } from '../../lib/briefly.ts'
import { readStored, storedNames, writeStored } from '../../lib/browser-storage.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { useMay, useSignedIn } from '../users/index.ts'
import { CampaignHead } from './CampaignHead.tsx'
import classes from './CampaignPage.module.css'
import { CampaignTabs } from './CampaignTabs.tsx'
import { CampaignDraft } from './campaign-draft.ts'
import { LaunchPanel } from './LaunchPanel.tsx'
import { RefusedCopies } from './RefusedCopies.tsx'
import { sentencesOf } from './save-accepted.ts'
import type { Tab } from './search.ts'
import { UncommittedInput } from './uncommitted-input.ts'
import { DraftContext } from './useDraft.ts'
import { useInWords } from './useFieldName.ts'

// Seen by two who write in one campaign at once.
const ChooseVersion = lazyPart(() => import('./ChooseVersion.tsx'), 'ChooseVersion')

const route = getRouteApi('/signed-in/w/$handle/campaigns/$id')

const storage = { names: storedNames, read: readStored, write: writeStored }

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

/** Of campaigns whose page was left before all was saved: has nobody asked about them any more. */
const leftUnsaved = new Map<string, () => void>()

/** A campaign that is saved while somebody writes in it. */
export function OpenCampaign({ record }: { record: Campaign }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { tab = 'steps' } = route.useSearch()
  const mayChange = useMay('member')
  const { user } = useSignedIn()
  const { id, workspace_id } = record
  const [uncommitted] = useState(() => new UncommittedInput())
  // It goes on saving after its page was left, also in another workspace: a server that was busy is asked
  // again.
  const [signal] = useState(sessionSignal)
  const [draft] = useState<CampaignDraft>(
    () =>
      new CampaignDraft(record, {
        async save(body, version) {
          const headers = { 'If-Match': `"${version}"`, 'X-Workspace-ID': workspace_id }
          const answer = await updateCampaign({
            ...{ path: { id }, body, headers, signal },
          })
          return answer.data
        },
        async read() {
          const headers = { 'X-Workspace-ID': workspace_id }
          const { data } = await getCampaign({ path: { id }, headers, signal })
          uncommitted.commitBefore(data, draft.state())
          return data
        },
        onSaved(saved) {
          cache.setQueryData(getCampaignQueryKey({ path: { id } }), saved)
          const path = { id }
          void cache.invalidateQueries({ queryKey: readCampaignReadinessQueryKey({ path }) })
          // That of *Launch*.
          void cache.invalidateQueries({
            queryKey: forecastCampaignQueryKey({ path }),
            exact: true,
          })
          void cache.invalidateQueries({ queryKey: listCampaignSummariesInfiniteQueryKey() })
        },
        userId: user.id,
        storage: mayChange ? storage : undefined,
      }),
  )
  useEffect(() => {
    uncommitted.commitBefore(record, draft.state())
    draft.adopt(record)
  }, [draft, uncommitted, record])
  useEffect(() => {
    // Closed or loaded again from within a field: it is in the browser, as all that is typed, and free
    // to be taken over by the page that is opened then.
    const leave = () => {
      uncommitted.commit()
      draft.releaseAll()
    }
    addEventListener('pagehide', leave)
    return () => removeEventListener('pagehide', leave)
  }, [draft, uncommitted])
  useEffect(() => {
    // Opened again, it has taken over what was left unsaved.
    leftUnsaved.get(id)?.()
    const forget = whenSigningOut({
      finish() {
        uncommitted.commit()
        return draft.finish()
      },
      lost: () =>
        draft.state().saving === 'saved' ? undefined : t(($) => $.shell.leaving.unsaved),
    })
    return () => {
      const end = () => {
        unsubscribe()
        leftUnsaved.delete(id)
        forget()
        draft.giveWay()
      }
      const endOnceSaved = () => {
        if (draft.state().saving === 'saved') end()
      }
      const unsubscribe = draft.subscribe(endOnceSaved)
      leftUnsaved.set(id, end)
      endOnceSaved()
    }
  }, [draft, uncommitted, id, t])
  const connection = useConnection()
  useEffect(() => {
    // What could not be saved while the server was away, or the session over, is saved now.
    if (connection === 'connected') void draft.flush()
  }, [connection, draft])
  const inWords = useInWords()
  const toldOf = useRef<string>(undefined)
  // What is typed is in the browser already; leaving only hurries it to the server.
  useBlocker({
    shouldBlockFn: async ({ next }) => {
      if (next.pathname.endsWith(id)) return false
      uncommitted.commit()
      // What hangs goes on behind, as what the server was too busy for does.
      await briefly(draft.flush())
      const { saving, fault, campaign } = draft.state()
      if (saving === 'conflict') return true
      // What has to be written otherwise is told once; whoever leaves again knows.
      if (saving !== 'refused' || fault?.statusCode !== 400) return false
      const sentences = sentencesOf(inWords(fault, campaign))
      const all = sentences.join(' ')
      const isTold = toldOf.current === all
      toldOf.current = all
      if (!isTold) for (const message of sentences) notifications.show({ color: 'red', message })
      return !isTold
    },
    enableBeforeUnload: () => uncommitted.isPending() || draft.state().saving !== 'saved',
  })
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
