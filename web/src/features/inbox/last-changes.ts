import { onSignOut } from '../../api/sign-out.ts'
import { undoMs } from '../../ui/showUndo.tsx'

/** Goes to the conversation that something was taken back in. */
type Open = (threadId: string) => void

interface Change {
  workspaceId: string
  untilMs: number
  undo: (open?: Open) => void
}

/** Answers and all else alike, whatever part of the page did it, the newest last. */
let changes: readonly Change[] = []

/**
 * For a while `z` takes it back.
 *
 * @returns takes it back in another way, whenever; it is taken back once
 */
export function rememberChange(workspaceId: string, undo: Change['undo']): Change['undo'] {
  let isUndone = false
  const change: Change = {
    workspaceId,
    untilMs: Date.now() + undoMs,
    undo(open) {
      changes = changes.filter((each) => each !== change)
      if (!isUndone) undo(open)
      isUndone = true
    },
  }
  changes = [...changes.filter(({ untilMs }) => untilMs >= Date.now()), change]
  return change.undo
}

/** Takes back what was done last in a workspace, and nothing that was done before it. */
export function undoLastChange(workspaceId: string, open: Open) {
  const last = changes.findLast((each) => each.workspaceId === workspaceId)
  if (last && last.untilMs >= Date.now()) last.undo(open)
}

// Whoever signs in next takes back nothing of it.
onSignOut(() => {
  changes = []
})
