import { rename, stat, writeFile } from 'node:fs/promises'

/** For `catch`: what is not there is undefined, and any other trouble is one. */
export function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

/** For `catch`: the error of a write to a file that is open does not say which one that is. */
export const naming =
  (path: string) =>
  (error: NodeJS.ErrnoException): never => {
    error.path ??= path
    throw error
  }

export const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    (error) => Boolean(ifMissing(error)),
  )

/**
 * Writes a file as a whole or not at all, for its owner alone: neither a kill nor a loss of power leaves half
 * of it.
 *
 * @param prepare what else it needs before it takes its place
 */
export async function replaceFile(
  path: string,
  text: string,
  prepare?: (next: string) => Promise<void>,
): Promise<void> {
  const next = `${path}.new`
  await writeFile(next, text, { mode: 0o600, flush: true }).catch(naming(next))
  await prepare?.(next)
  await rename(next, path)
}
