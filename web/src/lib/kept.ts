/** For all tabs of the browser, or for this one until it is closed. */
type Place = 'localStorage' | 'sessionStorage'

/** Null also where the browser's storage is shut. */
export function readKept(name: string, place: Place = 'localStorage'): string | null {
  try {
    return globalThis[place].getItem(name)
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
export function keep(name: string, text: string | undefined, place: Place = 'localStorage') {
  try {
    if (text === undefined) globalThis[place].removeItem(name)
    else globalThis[place].setItem(name, text)
    return true
  } catch {
    return false
  }
}
