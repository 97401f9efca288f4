import { type RefObject, useLayoutEffect, useRef } from 'react'

/**
 * Keeps the row that is at the top of the screen where it is when rows come in above it. At the top of the
 * list new rows appear.
 */
export function useScrollAnchor(frame: RefObject<HTMLElement | null>, ids: string[]) {
  const anchor = useRef<{ id: string; top: number }>(undefined)
  const order = ids.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another order moves rows
  useLayoutEffect(() => {
    const list = frame.current
    if (!list) return
    const kept = anchor.current
    const row = kept && list.querySelector<HTMLElement>(`[data-id="${kept.id}"]`)
    if (kept && row && list.scrollTop > 0) list.scrollTop += row.offsetTop - kept.top
    const updateAnchor = () => {
      const rows = [...list.querySelectorAll<HTMLElement>('[data-id]')]
      const first = rows.find(
        ({ offsetTop, offsetHeight }) => offsetTop + offsetHeight > list.scrollTop,
      )
      anchor.current = first && { id: first.dataset.id ?? '', top: first.offsetTop }
    }
    updateAnchor()
    list.addEventListener('scroll', updateAnchor, { passive: true })
    return () => list.removeEventListener('scroll', updateAnchor)
  }, [frame, order])
}
