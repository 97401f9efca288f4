// What the built program was made of. Plain JavaScript, because the launcher asks on each start.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const server = fileURLToPath(new URL('..', import.meta.url))
const stamp = join(server, 'built', '.stamp')

/**
 * Differs when a source file or an installed package does. By sizes and times, not by contents, so that a
 * command does not wait for it: a checkout or an update changes them, at worst without need.
 */
export function describeSources() {
  const hash = createHash('sha256')
  const sources = readdirSync(join(server, 'src'), { recursive: true })
    .filter((name) => /\.(ts|json)$/.test(name) && !name.endsWith('.test.ts'))
    .map((name) => join('src', name))
  for (const name of ['package.json', '../package-lock.json', ...sources.sort()]) {
    const { size, mtimeMs } = statSync(join(server, name))
    hash.update(`${name} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex')
}

/**
 * Whether what was built is what the sources would do. Where the server was unpacked alone there are no
 * sources to compare it with.
 */
export function isBuiltCurrent() {
  if (!existsSync(stamp)) return false
  return !existsSync(join(server, 'src')) || readFileSync(stamp, 'utf8') === describeSources()
}
