const ends = new Set<() => void>()

/**
 * Registers what ends with the workspace: the offer of a notice (undo) says nothing in another one.
 *
 * @returns forgets it, once it is over by itself
 */
export function onWorkspaceLeave(end: () => void) {
  ends.add(end)
  return () => void ends.delete(end)
}

export function leaveWorkspace() {
  for (const end of ends) end()
  ends.clear()
}
