import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Fault } from '../../api/fault.ts'
import {
  changeLeads,
  markThreadsDone,
  markThreadsRead,
  snoozeThreads,
  undoLeadJob,
} from '../../api/generated/sdk.gen.ts'
import type { LeadJob } from '../../api/generated/types.gen.ts'
import { newKey } from '../../lib/attempt.ts'
import { showUndo } from '../../ui/showUndo.tsx'
import { isAtLeast, useWorkspace } from '../users/index.ts'
import { rememberChange, undoLastChange } from './last-changes.ts'
import { readInboxAgain } from './refresh.ts'
import { useLabelName } from './useLabelName.ts'

/** What can be done to conversations, each taken back with `z` for a while. */
export function useThreadChanges() {
  const { t } = useTranslation()
  const { id: workspaceId, role } = useWorkspace()
  const cache = useQueryClient()
  const nameOf = useLabelName()
  const mayChange = isAtLeast(role, 'member')

  // An undo is of the workspace that it was offered in, whatever is looked at by then.
  const headers = () => ({ 'Idempotency-Key': newKey(), 'X-Workspace-ID': workspaceId })
  const run = async (work: () => Promise<unknown>) => {
    if (!mayChange) return false
    try {
      await work()
      return true
    } catch (thrown) {
      notifications.show({ color: 'red', message: (thrown as Fault).message })
      return false
    } finally {
      await readInboxAgain(cache)
    }
  }
  const offerUndo = (message: string, undo: () => Promise<unknown>) => {
    const takeBack = rememberChange(workspaceId, () => {
      notifications.hide(notice)
      void undo()
    })
    const notice = showUndo(message, takeBack)
  }

  const undoLabel = async (jobId: string) => {
    const { data: job } = await undoLeadJob({ path: { id: jobId }, headers: headers() })
    throwRefusal(job)
  }

  return {
    mayChange,
    setRead: (ids: string[], read: boolean) =>
      run(() => markThreadsRead({ body: { ids, read }, headers: headers() })),
    /** @param onUndo goes back to it */
    async setDone(ids: string[], done: boolean, onUndo?: () => void) {
      const mark = (to: boolean) => markThreadsDone({ body: { ids, done: to }, headers: headers() })
      if (!(await run(() => mark(done))) || !done) return
      offerUndo(
        t(($) => $.inbox.doneNotice),
        async () => {
          await run(() => mark(false))
          onUndo?.()
        },
      )
    },
    async snooze(ids: string[], until: string | undefined) {
      const put = (to: string | undefined) =>
        snoozeThreads({ body: { ids, ...(to ? { until: to } : {}) }, headers: headers() })
      if (!(await run(() => put(until))) || !until) return
      offerUndo(
        t(($) => $.inbox.snoozedNotice),
        () => run(() => put(undefined)),
      )
    },
    /** Undone, the lead is sent to as it was before, too. */
    async setLabel(id: string, status: string) {
      await run(async () => {
        const body = { action: 'set_status' as const, status, ids: [id] }
        const { data: job } = await changeLeads({ body, headers: headers() })
        throwRefusal(job)
        const message = t(($) => $.inbox.labelled, { label: nameOf(status) })
        if (!job.can_undo) notifications.show({ message })
        else offerUndo(message, () => run(() => undoLabel(job.id)))
      })
    },
    /**
     * The last answer or change, as long as it can be taken back.
     *
     * @param open goes to the conversation of an answer, whose text is there again
     */
    undo: (open: (threadId: string) => void) => undoLastChange(workspaceId, open),
  }
}

/** Of one lead that is changed or put back there is at most one. */
function throwRefusal({ refusals: [refusal] }: LeadJob) {
  if (refusal) throw new Error(refusal.reason)
}
