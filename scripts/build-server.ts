// Makes few files of the server's sources and libraries when one of them has changed, and says nothing
// when nothing has: a process of 2,400 modules starts in twice the time, and takes 30 MB more. Runs before
// `npm start` and `npm test`, after the install.
import {
  globSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { describeSources, findBuilt } from '../server/bin/sources.mjs'

const server = fileURLToPath(new URL('../server', import.meta.url))
const built = join(server, 'built')

/** In a folder named after what it was made of, beside those before: a running process may still need its own. */
async function buildServer() {
  console.error('Building the server ...')
  const name = describeSources()
  // What is cut off, or done twice at once, leaves no half of a program under that name.
  const fresh = join(built, `.new-${process.pid}`)
  const { output } = await build({
    cwd: server,
    input: entries(),
    platform: 'node',
    // They find files that lie beside them.
    external: ['@scalar/fastify-api-reference', 'pino', 'pino-pretty'],
    output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name].js' },
    write: false,
    logLevel: 'warn',
  })
  for (const file of output) {
    const path = join(fresh, file.fileName)
    mkdirSync(dirname(path), { recursive: true })
    // After a power loss a file has what its name promises.
    writeFileSync(path, file.type === 'chunk' ? file.code : file.source, { flush: true })
  }
  try {
    renameSync(fresh, join(built, name))
  } catch (error) {
    rmSync(fresh, { recursive: true })
    if (!findBuilt()) throw error
  }
  removeOld(name)
}

/** The program, and by their paths below `src` the modules that run in threads of their own. */
const entries = () =>
  Object.fromEntries(
    ['src/cli.ts', ...globSync('src/**/*-thread.ts', { cwd: server })].map((path) => [
      path.slice('src/'.length, -'.ts'.length),
      path,
    ]),
  )

/** All but this build and the one before; what is younger than a minute may be another that is under way. */
function removeOld(name: string) {
  const others = readdirSync(built)
    .filter((other) => other !== name)
    .map((other) => ({ folder: join(built, other), ...statSync(join(built, other)) }))
    .sort((a, b) => b.mtimeMs - a.mtimeMs)
  for (const { folder, mtimeMs } of others.slice(1)) {
    if (Date.now() - mtimeMs > 60_000) rmSync(folder, { recursive: true, force: true })
  }
}

if (!findBuilt()) await buildServer()
