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
  const others = ['package.json', '../package-lock.json', '../scripts/build-server.ts']
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

/**
 * The folder of the program that was built of the sources as they are, or undefined. An installed package
 * has no sources, and one program.
 */
export function findBuilt() {
  try {
    const name = existsSync(sources) ? describeSources() : readdirSync(built)[0]
    const folder = join(built, name)
    return existsSync(join(folder, 'cli.js')) ? folder : undefined
  } catch {
    // The sources are being replaced, or nothing was ever built.
    return undefined
  }
}
