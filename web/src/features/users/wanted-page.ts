import { keep, readKept } from '../../lib/kept.ts'

const name = 'outrider-wanted'

/** Where somebody wanted to go who signs in elsewhere: this tab comes back without it. */
export const keepWanted = (path: string | undefined) => keep(name, path, 'sessionStorage')

/** Once: whoever opens the first page later wants that. */
export function takeWanted(): string | null {
  const path = readKept(name, 'sessionStorage')
  keepWanted(undefined)
  return path
}
