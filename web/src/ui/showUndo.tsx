import { notifications } from '@mantine/notifications'
import { onWorkspaceLeave } from '../lib/workspace-leave.ts'
import { UndoNotice } from './UndoNotice.tsx'

/** As long can be undone what somebody did. */
export const undoMs = 8000

/**
 * Says what was done, and for a while offers to undo it.
 *
 * @param onClosed once it cannot be undone any more, or was
 * @returns the notice, to be hidden once it is undone in another way
 */
export function showUndo(text: string, onUndo: () => void, onClosed?: () => void): string {
  // The notice fades, and a double click reaches it twice.
  let isUndone = false
  const id = notifications.show({
    autoClose: undoMs,
    onClose() {
      forget()
      onClosed?.()
    },
    message: (
      <UndoNotice
        text={text}
        onUndo={() => {
          notifications.hide(id)
          if (!isUndone) onUndo()
          isUndone = true
        }}
      />
    ),
  })
  const forget = onWorkspaceLeave(() => notifications.hide(id))
  return id
}
