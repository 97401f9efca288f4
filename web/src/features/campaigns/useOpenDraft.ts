import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
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
import { readStored, storedNames, writeStored } from '../../lib/browser-storage.ts'
import { useSignedIn } from '../users/index.ts'
import { CampaignDraft } from './campaign-draft.ts'
import { UncommittedInput } from './uncommitted-input.ts'

const storage = { names: storedNames, read: readStored, write: writeStored }

/** Of campaigns whose page was left before all was saved: has nobody asked about them any more. */
const leftUnsaved = new Map<string, () => void>()

/** The draft of a campaign, from its page being opened until all is saved, also after that was left. */
export function useOpenDraft(record: Campaign, mayChange: boolean) {
  const { t } = useTranslation()
  const [uncommitted] = useState(() => new UncommittedInput())
  const draft = useNewDraft(record, mayChange, uncommitted)
  const { id } = record
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
  return { draft, uncommitted }
}

function useNewDraft(record: Campaign, mayChange: boolean, uncommitted: UncommittedInput) {
  const cache = useQueryClient()
  const { user } = useSignedIn()
  const { id, workspace_id } = record
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
  return draft
}
