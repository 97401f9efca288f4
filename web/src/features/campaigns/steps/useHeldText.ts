import { type FocusEvent, useCallback, useEffect, useRef } from 'react'
import { useDraft } from '../useDraft.ts'

/** How long another tab leaves alone what is being written here. */
const untouchedMs = 60_000

/**
 * Holds back the text that somebody is writing in a campaign that runs, until they leave it: a mail that
 * goes out meanwhile ends in the middle of no sentence.
 */
export function useHeldText() {
  const { campaign, hold } = useDraft()
  const release = useRef<() => void>(undefined)
  const leaving = useRef<ReturnType<typeof setTimeout>>(undefined)
  const end = useCallback(() => {
    release.current?.()
    release.current = undefined
  }, [])
  useEffect(() => end, [end])
  return {
    isHeld: campaign.status === 'active',
    onWrite() {
      if (campaign.status !== 'active') return
      const before = release.current
      release.current = hold(untouchedMs)
      before?.()
    },
    /** Of the element around the texts. Menus and dialogs of the editor count as parts of it. */
    focusHandlers: {
      onFocus: () => clearTimeout(leaving.current),
      onBlur({ currentTarget }: FocusEvent<HTMLElement>) {
        // Whoever looks something up in another window comes back to where they were.
        if (currentTarget.contains(document.activeElement)) return
        leaving.current = setTimeout(end)
      },
    },
  }
}
