/** For all tabs of the browser, or for this one until it is closed. */
type StorageArea = 'localStorage' | 'sessionStorage'

/** Null also where the browser's storage is shut. */
export function readKept(name: string, area: StorageArea = 'localStorage'): string | null {
  try {
    return globalThis[area].getItem(name)
  } catch {
    return null
  }
}

/** Of what all tabs have kept. */
export function keptNames(): string[] {
  try {
    return Object.keys(globalThis.localStorage)
  } catch {
    return []
  }
}

/** @returns whether it is kept: the browser's storage may be full or shut */
export function keep(name: string, text: string | undefined, area: StorageArea = 'localStorage') {
  try {
    if (text === undefined) globalThis[area].removeItem(name)
    else globalThis[area].setItem(name, text)
    return true
  } catch {
    return false
  }
}
