import { useEffect, useSyncExternalStore } from 'react'

const application = 'Outrider'

// Both have a part in the one title of the tab.
let page = ''
let waiting = 0
const listeners = new Set<() => void>()

function write() {
  const count = waiting > 0 ? `(${waiting}) ` : ''
  document.title = `${count}${page === '' ? '' : `${page} · `}${application}`
  for (const listener of listeners) listener()
}

function listen(listener: () => void) {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** How much waits, as the title of the tab says. */
export const useWaiting = () => useSyncExternalStore(listen, () => waiting)

/** What a page is called in the tab, in the history and among bookmarks. */
export function usePageInTitle(name: string) {
  useEffect(() => {
    page = name
    write()
    return () => {
      // The page that comes next has said its name already, or none.
      if (page === name) page = ''
      write()
    }
  }, [name])
}

/** How much waits, on whatever page one is. */
export function useCountInTitle(count: number) {
  useEffect(() => {
    waiting = count
    write()
    return () => {
      waiting = 0
      write()
    }
  }, [count])
}
