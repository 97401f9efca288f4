import { whenSigningOut } from '../../api/sign-out.ts'
import { undoMs } from '../../ui/showUndo.tsx'

/** Goes to the conversation that something was taken back in. */
type Open = (threadId: string) => void

interface Change {
  workspaceId: string
  untilMs: number
  undo: (open?: Open) => void
  hideNotice?: (() => void) | undefined
}

/** Answers and all else alike, whatever part of the page did it, the newest last. */
let undoStack: readonly Change[] = []

/**
 * Makes `z` undo this for as long as the notice offers it.
 *
 * @param hideNotice of one that offers it beside the page
 * @returns undoes it directly; whichever comes first, it is undone once
 */
export function pushUndo(
  workspaceId: string,
  undo: Change['undo'],
  hideNotice?: () => void,
): Change['undo'] {
  let isUndone = false
  const change: Change = {
    workspaceId,
    ...{ hideNotice, untilMs: Date.now() + undoMs },
    undo(open) {
      undoStack = undoStack.filter((each) => each !== change)
      hideNotice?.()
      if (!isUndone) undo(open)
      isUndone = true
    },
  }
  undoStack = [...undoStack.filter(({ untilMs }) => untilMs >= Date.now()), change]
  return change.undo
}

/** Leaves no other undo to be pressed in place of the one that is shown now. */
export function hideUndoNotices() {
  for (const { hideNotice } of undoStack) hideNotice?.()
}

/** Undoes what was done last in a workspace, and nothing that was done before it. */
export function undoLast(workspaceId: string, open: Open) {
  const last = undoStack.findLast((each) => each.workspaceId === workspaceId)
  if (last && last.untilMs >= Date.now()) last.undo(open)
}

// Whoever signs in next takes back nothing of it.
whenSigningOut({
  forget() {
    undoStack = []
  },
})
