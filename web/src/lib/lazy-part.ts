import { type ComponentType, lazy } from 'react'

const againMs = 2000

/**
 * A part of a page that is read after it. While the server is away it is asked for again and again: a
 * part that nobody has opened must not take the page with it.
 */
export const lazyPart = <Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
) =>
  lazy(async () => {
    for (;;) {
      const part = await load().catch(() => undefined)
      if (part) return part
      await new Promise((resolve) => setTimeout(resolve, againMs))
    }
  })
