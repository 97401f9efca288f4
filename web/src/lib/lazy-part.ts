import { type ComponentType, lazy } from 'react'

const againMs = 2_000
/** Nobody waits for it yet, and a page has dozens of them. */
const unaskedAgainMs = 30_000

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
  let part: { default: ComponentType<Props> } | undefined
  const read = async () => {
    const module = await load().catch(() => undefined)
    if (module) part = { default: module[name] }
    return part
  }
  const readAgainAndAgain = async (pauseMs: number) => {
    for (;;) {
      const found = await read()
      if (found) return found
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
  whenIdle(() => void readAgainAndAgain(unaskedAgainMs))
  return lazy(() => (part ? atOnce(part) : readAgainAndAgain(againMs)))
}

/** For a promise, even one that is kept, React draws nothing at first, and for 300 ms nothing else. */
const atOnce = <T>(value: T) =>
  // biome-ignore lint/suspicious/noThenProperty: React asks for the value by it
  ({ then: (take: (value: T) => void) => take(value) }) as Promise<T>

/** Safari knows no idleness. */
const whenIdle = (work: () => void) =>
  typeof requestIdleCallback === 'undefined' ? setTimeout(work, 200) : requestIdleCallback(work)
