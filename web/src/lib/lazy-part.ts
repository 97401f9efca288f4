import { type ComponentType, lazy } from 'react'

const againMs = 2000

/**
 * A part of a page that is read after it, once the browser has nothing else to do: it is there when
 * somebody opens it, also when the server is away by then. While it cannot be read it is asked for again
 * and again: a part that nobody has opened must not take the page with it.
 *
 * A drawer or dialog belongs inside the `Suspense`, with its content: what comes later gets no focus.
 */
export const lazyPart = <Name extends string, Props extends object>(
  load: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
) => {
  whenIdle(() => void load().catch(() => undefined))
  return lazy(async () => {
    for (;;) {
      const module = await load().catch(() => undefined)
      if (module) return { default: module[name] }
      await new Promise((resolve) => setTimeout(resolve, againMs))
    }
  })
}

/** Safari knows no idleness. */
const whenIdle = (work: () => void) =>
  typeof requestIdleCallback === 'undefined' ? setTimeout(work, 200) : requestIdleCallback(work)
