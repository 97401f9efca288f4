import { useEffect, useSyncExternalStore } from 'react'
import { createListeners } from './listeners.ts'

const application = 'Outrider'

// Both have a part in the one title of the tab.
let page = ''
let waiting = 0
const listeners = createListeners()

function write() {
  const count = waiting > 0 ? `(${waiting}) ` : ''
  document.title = `${count}${page === '' ? '' : `${page} · `}${application}`
  listeners.tell()
}

/** How much waits, as the title of the tab says: the navigation shows the same. */
export const useWaiting = () => useSyncExternalStore(listeners.subscribe, () => waiting)

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

/** Says how much waits, on whatever page one is, in the title and to `useWaiting`. */
export function useTellWaiting(count: number) {
  useEffect(() => {
    waiting = count
    write()
    return () => {
      waiting = 0
      write()
    }
  }, [count])
}
