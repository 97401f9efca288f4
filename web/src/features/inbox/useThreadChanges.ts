import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Fault } from '../../api/fault.ts'
import { getThreadQueryKey } from '../../api/generated/@tanstack/react-query.gen.ts'
import {
  changeLeads,
  markThreadsDone,
  markThreadsRead,
  snoozeThreads,
  undoLeadJob,
} from '../../api/generated/sdk.gen.ts'
import type { Conversation, LeadJob } from '../../api/generated/types.gen.ts'
import { randomKey } from '../../lib/idempotency-key.ts'
import { showUndo } from '../../ui/showUndo.tsx'
import { useStatusName } from '../labels/index.ts'
import { useMay, useWorkspace } from '../users/index.ts'
import { readInboxAgain } from './refresh.ts'
import { pushUndo, undoLast } from './undo-stack.ts'

/** What can be done to conversations, each taken back with `z` for a while. */
export function useThreadChanges() {
  const { t } = useTranslation()
  const { id: workspaceId } = useWorkspace()
  const cache = useQueryClient()
  const nameOf = useStatusName()
  const mayChange = useMay('member')

  // An undo is of the workspace that it was offered in, whatever is looked at by then.
  const headers = () => ({ 'Idempotency-Key': randomKey(), 'X-Workspace-ID': workspaceId })
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
    const hideNotice = () => notifications.hide(notice)
    const takeBack = pushUndo(workspaceId, () => void undo(), hideNotice)
    const notice = showUndo(message, takeBack)
  }

  const only = (id: string) => ({ ids: [id] })
  const shownOf = (id: string) =>
    cache.getQueryData<Conversation>(getThreadQueryKey({ path: { id } }))
  /** With what the page shows of it: what came in since is not put away unseen. */
  const seen = (id: string) => {
    const shown = shownOf(id)
    return { ...only(id), ...(shown ? { seen_message_id: shown.last_message_id } : {}) }
  }

  /** As it was before it was put off. */
  const putBack = async (id: string, before: Conversation | undefined) => {
    const until = before?.snoozed_until
    await snoozeThreads({ body: { ...only(id), ...(until ? { until } : {}) }, headers: headers() })
    if (!before?.timestamp_done) return
    await markThreadsDone({ body: { ...only(id), done: true }, headers: headers() })
  }
  const undoLabel = async (jobId: string) => {
    const { data: job } = await undoLeadJob({ path: { id: jobId }, headers: headers() })
    throwRefusal(job)
  }

  return {
    mayChange,
    setRead: (id: string, read: boolean) =>
      run(() =>
        markThreadsRead({ body: { ...(read ? seen(id) : only(id)), read }, headers: headers() }),
      ),
    /** @param onStays goes back to it: something has just come in, or it is undone */
    async setDone(id: string, done: boolean, onStays?: () => void) {
      const body = done ? seen(id) : only(id)
      if (await run(() => markThreadsDone({ body: { ...body, done }, headers: headers() }))) {
        if (!done) return
        offerUndo(
          t(($) => $.inbox.doneNotice),
          async () => {
            const undone = { ...only(id), done: false }
            await run(() => markThreadsDone({ body: undone, headers: headers() }))
            onStays?.()
          },
        )
      } else onStays?.()
    },
    async snooze(id: string, until: string | undefined) {
      const before = shownOf(id)
      const body = until ? { ...seen(id), until } : only(id)
      if (!(await run(() => snoozeThreads({ body, headers: headers() }))) || !until) return
      offerUndo(
        t(($) => $.inbox.snoozedNotice),
        () => run(() => putBack(id, before)),
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
    undo: (open: (threadId: string) => void) => undoLast(workspaceId, open),
  }
}

/** Of one lead that is changed or put back there is at most one. */
function throwRefusal({ refusals: [refusal] }: LeadJob) {
  if (refusal) throw new Error(refusal.reason)
}
