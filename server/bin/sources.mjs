// Which program was built of the sources as they are. Plain JavaScript, because the launcher asks on each
// start, on whatever Node there is.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const server = fileURLToPath(new URL('..', import.meta.url))
const sources = join(server, 'src')
const built = join(server, 'built')

/** Differs when a source file, an installed package or the build itself does. */
export function describeSources() {
  // npm writes what it has installed, whatever the lock wants by now.
  const installed = '../node_modules/.package-lock.json'
  const others = ['package.json', installed, '../scripts/build-server.ts']
  const hash = createHash('sha256')
  for (const path of [...others.map((name) => join(server, name)), ...filesOf(sources)]) {
    if (existsSync(path)) hash.update(`${path.slice(server.length)}\n`).update(readFileSync(path))
  }
  return hash.digest('hex').slice(0, 16)
}

function filesOf(folder) {
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return filesOf(path)
      return /(?<!\.test)\.(ts|json)$/.test(entry.name) && entry.isFile() ? [path] : []
    })
}

/** Names the newest build, for an unpacked archive: it has no sources, and builds of older ones may lie in it. */
export const newestFile = join(built, 'newest')

/** The folder of the program that was built of the sources as they are, or undefined. */
export function findBuilt() {
  try {
    const name = existsSync(sources) ? describeSources() : readFileSync(newestFile, 'utf8')
    const folder = join(built, name)
    return existsSync(join(folder, 'cli.js')) ? folder : undefined
  } catch {
    // The sources are being replaced, or nothing was ever built.
    return undefined
  }
}
