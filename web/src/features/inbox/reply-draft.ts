import { useCallback, useMemo, useSyncExternalStore } from 'react'
import { readStored, writeStored } from '../../lib/browser-storage.ts'
import { createListeners } from '../../lib/listeners.ts'

/**
 * A reply that somebody is writing, kept in this browser until it is sent: a reload or an expired
 * session loses nothing.
 */
export interface ReplyDraft {
  html: string
  /** The Idempotency-Key that this very text is sent under. */
  key: string
  /** The newest of the conversation when it was begun; a version without it left some behind. */
  seen?: string
}

/** Where it is kept: on a shared computer nobody goes on with what another has typed. */
export const draftName = (userId: string, workspaceId: string, record: string) =>
  `outrider-draft ${userId} ${workspaceId} ${record}`

const listeners = createListeners()
/** What the browser's storage has no room for, or is not let to keep: until a reload. */
const unkept = new Map<string, string>()

const read = (name: string) => unkept.get(name) ?? readStored(name)

function write(name: string, text: string | undefined) {
  unkept.delete(name)
  if (!writeStored(name, text) && text !== undefined) unkept.set(name, text)
}

function parse(kept: string | null): ReplyDraft | undefined {
  try {
    const draft = JSON.parse(kept ?? '')
    return typeof draft?.html === 'string' && typeof draft.key === 'string' ? draft : undefined
  } catch {
    return undefined
  }
}

/** An empty one is forgotten. */
function keepDraft(name: string, draft: ReplyDraft | undefined) {
  const isEmpty = !draft || draft.html === ''
  write(name, isEmpty ? undefined : JSON.stringify(draft))
  listeners.tell()
}

/** Once it was sent. What was typed since, in another tab too, has another key and stays. */
export function forgetDraft(name: string, key: string) {
  if (parse(read(name))?.key === key) keepDraft(name, undefined)
}

function subscribe(listener: () => void) {
  const unsubscribe = listeners.subscribe(listener)
  // Of another tab.
  addEventListener('storage', listener)
  return () => {
    unsubscribe()
    removeEventListener('storage', listener)
  }
}

/** @returns what is kept, and what replaces it */
export function useReplyDraft(name: string) {
  const kept = useSyncExternalStore(subscribe, () => read(name))
  const draft = useMemo(() => parse(kept), [kept])
  const set = useCallback((next: ReplyDraft | undefined) => keepDraft(name, next), [name])
  return [draft, set] as const
}
