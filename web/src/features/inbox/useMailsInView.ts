import { type RefObject, useLayoutEffect, useRef } from 'react'

/** The mails that stand in it, the newest last. */
export const mailsOf = (frame: HTMLElement | null) =>
  [...(frame?.children ?? [])].filter((each) => each.localName === 'section') as HTMLElement[]

/** What moves: the mails or, where little height is left, all of the conversation. The other takes no `scrollTop`. */
const movingOf = (frame: HTMLElement) =>
  [frame, frame.closest('article')?.parentElement].filter((each) => each != null)

interface Shown {
  /** Undefined: they are not read yet. */
  oldestId: string | undefined
  /** False: they are as they were when the conversation was left, and are being read again. */
  isFresh: boolean
  /** The mail that is seen first, by its place. */
  at: number
}

/**
 * A conversation opens at this mail, and stays there while bodies of mails come, until somebody moves it.
 * What stands on the screen stays there when older mails come above it.
 */
export function useMailsInView(frame: RefObject<HTMLElement | null>, shown: Shown) {
  const { oldestId, isFresh, at } = shown
  const isRead = oldestId !== undefined
  const isMoved = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: when it is opened, and once it is read again
  useLayoutEffect(() => {
    const mails = mailsOf(frame.current)
    const first = mails.at(at)
    if (!frame.current || !first || isMoved.current) return
    const topOf = () => Math.round(first.getBoundingClientRect().top)
    let top = 0
    const show = () => {
      first.scrollIntoView()
      top = topOf()
    }
    const growth = new ResizeObserver(show)
    for (const each of [frame.current, ...mails]) growth.observe(each)
    const stop = ({ type }: Event) => {
      if (type === 'scroll' && topOf() === top) return
      isMoved.current = true
      growth.disconnect()
    }
    const options = { capture: true, passive: true }
    const moves = ['scroll', 'pointerdown', 'keydown']
    for (const type of moves) document.addEventListener(type, stop, options)
    return () => {
      growth.disconnect()
      for (const type of moves) document.removeEventListener(type, stop, options)
    }
  }, [isRead, isFresh])

  const oldest = useRef<{ mail: HTMLElement; top: number }>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only older mails move what is shown
  useLayoutEffect(() => {
    const kept = oldest.current
    const [mail] = mailsOf(frame.current)
    if (!frame.current || !mail) return
    const topIn = ({ offsetTop }: HTMLElement) => offsetTop - (frame.current?.offsetTop ?? 0)
    if (kept?.mail.isConnected) {
      const growth = topIn(kept.mail) - kept.top
      for (const each of movingOf(frame.current)) each.scrollTop += growth
    }
    oldest.current = { mail, top: topIn(mail) }
  }, [oldestId])
}
