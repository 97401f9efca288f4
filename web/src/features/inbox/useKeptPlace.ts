import { type RefObject, useLayoutEffect, useRef } from 'react'

/**
 * Rows that come in above what is on the screen move nothing: the list is scrolled by as much. At its
 * top it stays there, and what is new appears.
 */
export function useKeptPlace(frame: RefObject<HTMLElement | null>, ids: string[]) {
  const anchor = useRef<{ id: string; top: number }>(undefined)
  const order = ids.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another order moves rows
  useLayoutEffect(() => {
    const list = frame.current
    if (!list) return
    const kept = anchor.current
    const row = kept && list.querySelector<HTMLElement>(`[data-id="${kept.id}"]`)
    if (kept && row && list.scrollTop > 0) list.scrollTop += row.offsetTop - kept.top
    const note = () => {
      const rows = [...list.querySelectorAll<HTMLElement>('[data-id]')]
      const first = rows.find(
        ({ offsetTop, offsetHeight }) => offsetTop + offsetHeight > list.scrollTop,
      )
      anchor.current = first && { id: first.dataset.id ?? '', top: first.offsetTop }
    }
    note()
    list.addEventListener('scroll', note, { passive: true })
    return () => list.removeEventListener('scroll', note)
  }, [frame, order])
}
