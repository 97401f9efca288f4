/** For all tabs of the browser, or for this one until it is closed. */
type StorageArea = 'localStorage' | 'sessionStorage'

/** Null also where the browser's storage is switched off. */
export function readStored(name: string, area: StorageArea = 'localStorage'): string | null {
  try {
    return globalThis[area].getItem(name)
  } catch {
    return null
  }
}

/** Of all that is in the storage that tabs share. */
export function storedNames(): string[] {
  try {
    return Object.keys(globalThis.localStorage)
  } catch {
    return []
  }
}

/**
 * @param text undefined removes it
 * @returns whether it is stored: the browser's storage may be full or switched off
 */
export function writeStored(
  name: string,
  text: string | undefined,
  area: StorageArea = 'localStorage',
) {
  try {
    if (text === undefined) globalThis[area].removeItem(name)
    else globalThis[area].setItem(name, text)
    return true
  } catch {
    return false
  }
}
