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
    const names = existsSync(from)
      ? readdirSync(from).filter((name) => !/\.(br|gz)$/.test(name))
      : []
    for (const name of names) {
      const lastUsedMs = folder === 'assets' ? nowMs : statSync(join(from, name)).mtimeMs
      if (nowMs - lastUsedMs > keptMs || existsSync(join(fresh, 'assets', name))) continue
      copyFileSync(join(from, name), join(kept, name))
      utimesSync(join(kept, name), new Date(lastUsedMs), new Date(lastUsedMs))
    }
  }
}
