const ends = new Set<() => void>()

/**
 * For what a notice offers in a workspace: in another one nobody could tell what it is about.
 *
 * @returns forgets it, once it is over by itself
 */
export function onLeave(end: () => void) {
  ends.add(end)
  return () => void ends.delete(end)
}

export function leaveWorkspace() {
  for (const end of ends) end()
  ends.clear()
}
