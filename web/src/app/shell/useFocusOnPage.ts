import { useRouterState } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef } from 'react'

/**
 * After a navigation the focus goes to the content of the new page, and not back to the top of the
 * navigation.
 */
export function useFocusOnPage(page: RefObject<HTMLElement | null>) {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  const shown = useRef(path)
  useEffect(() => {
    const isFirst = shown.current === undefined
    if (path === shown.current) return
    shown.current = path
    const { activeElement: focused } = document
    // What has the focus on the new page keeps it.
    const isLeft = focused === document.body || focused?.closest('nav')
    if (!isFirst && isLeft && !focused?.closest('[role=dialog]'))
      page.current?.focus({ preventScroll: true })
  }, [path, page])
}
