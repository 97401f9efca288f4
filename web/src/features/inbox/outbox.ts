import { notifications } from '@mantine/notifications'
import i18next from 'i18next'
import { useSyncExternalStore } from 'react'
import { cacheOf } from '../../api/caches.ts'
import type { Fault } from '../../api/fault.ts'
import { replyInThread } from '../../api/generated/sdk.gen.ts'
import { whenSigningOut } from '../../api/sign-out.ts'
import { createListeners } from '../../lib/listeners.ts'
import { undoMs } from '../../ui/showUndo.tsx'
import { readInboxAgain } from './refresh.ts'
import { forgetDraft } from './reply-draft.ts'
import { hideUndoNotices, pushUndo } from './undo-stack.ts'

/** An answer between the button and the mail server. */
export interface Outgoing {
  workspaceId: string
  threadId: string
  /** Where its draft is kept until it is sent. */
  draft: string
  html: string
  /** Its Idempotency-Key. */
  key: string
  /** The last message that its writer has seen. */
  seen: string
  /** Also to a suppressed address. */
  force: boolean
  /** Told in what words the server or the way to it refused; its writer may be anywhere by then. */
  onFail: (reason: string) => void
  /** Until then it can be taken back; later it is on its way. */
  undoUntilMs: number
  undo: () => void
  state: 'undoable' | 'sending' | 'failed'
  fault?: Fault
}

// Outside of any page: whoever goes on to the next conversation has sent this one all the same.
let outgoing: readonly Outgoing[] = []
const timers = new Map<string, ReturnType<typeof setTimeout>>()
const listeners = createListeners()

function set(next: readonly Outgoing[]) {
  outgoing = next
  if (isUnderWay()) addEventListener('beforeunload', askToStay)
  else removeEventListener('beforeunload', askToStay)
  listeners.tell()
}

/** The browser asks whether to leave: what waits for its eight seconds would not be sent. */
const askToStay = (event: BeforeUnloadEvent) => event.preventDefault()

const change = (key: string, changes: Partial<Outgoing>) =>
  set(outgoing.map((each) => (each.key === key ? { ...each, ...changes } : each)))
const remove = (key: string) => set(outgoing.filter((each) => each.key !== key))

/** Sends it in eight seconds, unless it is undone. */
export function queueReply(reply: Omit<Outgoing, 'undoUntilMs' | 'undo' | 'state' | 'fault'>) {
  const { workspaceId, threadId, key } = reply
  hideUndoNotices()
  const undo = pushUndo(workspaceId, (open) => {
    if (!takeBack(key)) return
    open?.(threadId)
  })
  const undoUntilMs = Date.now() + undoMs
  const waiting: Outgoing = { ...reply, state: 'undoable', undoUntilMs, undo }
  set([...outgoing.filter((each) => each.threadId !== threadId), waiting])
  timers.set(
    key,
    setTimeout(() => void send(waiting), undoMs),
  )
}

/** @returns false for one that is on its way */
function takeBack(key: string): boolean {
  const isWaiting = outgoing.some((each) => each.key === key && each.state === 'undoable')
  if (!isWaiting) return false
  clearTimeout(timers.get(key))
  remove(key)
  return true
}

/** Of a conversation that shows it: it was sent after all, and only the server's answer got lost. */
export const forgetFailed = (threadId: string) =>
  set(outgoing.filter((each) => each.threadId !== threadId || each.state !== 'failed'))

const isUnderWay = () => outgoing.some(({ state }) => state !== 'failed')

// Whoever signs in next must not send it, nor be told of it; its text stays a draft.
whenSigningOut({
  lost: () => (isUnderWay() ? i18next.t(($) => $.shell.leaving.answer) : undefined),
  forget() {
    for (const timer of timers.values()) clearTimeout(timer)
    set([])
    notifications.clean()
  },
})

async function send(reply: Outgoing) {
  const { workspaceId, threadId, draft, html, key, seen, force } = reply
  const tellFailure = (reason: string) => {
    if (outgoing.some((each) => each.key === key)) reply.onFail(reason)
  }
  change(key, { state: 'sending' })
  try {
    const { data } = await replyInThread({
      path: { id: threadId },
      headers: { 'Idempotency-Key': key, 'X-Workspace-ID': workspaceId },
      body: { html, seen_message_id: seen, ...(force ? { force } : {}) },
    })
    // One that failed was not sent: its text is still there to be tried again.
    if (data.state === 'failed') tellFailure(data.error_message ?? '')
    else forgetDraft(draft, key)
    await readInboxAgain(cacheOf(workspaceId))
    remove(key)
  } catch (thrown) {
    const fault = thrown as Fault
    change(key, { state: 'failed', fault })
    tellFailure(fault.message)
    await readInboxAgain(cacheOf(workspaceId))
  }
}

/** Of a conversation; undefined: nothing of it is on its way from this page. */
export const useOutgoing = (threadId: string): Outgoing | undefined =>
  useSyncExternalStore(listeners.subscribe, () =>
    outgoing.find((each) => each.threadId === threadId),
  )
