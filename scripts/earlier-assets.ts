import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'

const keptMs = 30 * 86_400_000

/**
 * A page that was opened before an update goes on to ask for parts of its own build, by names that hold
 * a digest. They are served for a month after the last build that had them, without what the build has
 * compressed: few are asked for.
 *
 * @param dist the build that is replaced; there may be none
 * @param fresh the one that takes its place
 */
export function keepEarlierAssets(dist: string, fresh: string, nowMs = Date.now()) {
  const kept = join(fresh, 'earlier')
  mkdirSync(kept)
  for (const folder of ['earlier', 'assets']) {
    const from = join(dist, folder)
    const names = unlessGone(() => readdirSync(from)) ?? []
    for (const name of names.filter((each) => !/\.(br|gz)$/.test(each))) {
      unlessGone(() => {
        const lastUsedMs = folder === 'assets' ? nowMs : statSync(join(from, name)).mtimeMs
        if (nowMs - lastUsedMs > keptMs || existsSync(join(fresh, 'assets', name))) return
        copyFileSync(join(from, name), join(kept, name))
        utimesSync(join(kept, name), new Date(lastUsedMs), new Date(lastUsedMs))
      })
    }
  }
}

/** Another build may be replacing the same one at this moment. */
function unlessGone<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return undefined
  }
}
