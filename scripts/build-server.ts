// Makes few files of the server's sources and libraries when one of them has changed, and says nothing
// when nothing has: a process of 2,400 modules takes 0.6 s longer to start, and 30 MB more. Runs before
// `npm start` and `npm test`, after the install.
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { describeSources, findBuilt, newestFile } from '../server/bin/sources.mjs'

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
    if (describeSources() !== name) throw new Error('The sources changed while they were built.')
    renameSync(fresh, join(built, name))
  } catch (error) {
    rmSync(fresh, { recursive: true })
    if (!findBuilt()) throw error
  }
}

/** The program, and by their paths below `src` the modules that run in worker threads. */
const entries = () =>
  Object.fromEntries(
    ['src/cli.ts', ...globSync('src/**/*-worker.ts', { cwd: server })].map((path) => [
      path.slice('src/'.length, -'.ts'.length),
      path,
    ]),
  )

/** How many builds stay: a process may run one that is not the newest, and load parts of it late. */
const buildsMax = 5

function removeOld(current: string) {
  const others = readdirSync(built)
    .map((name) => join(built, name))
    .filter((path) => path !== current && path !== newestFile)
    .map((folder) => ({ folder, ...statSync(folder) }))
    .sort((a, b) => b.mtimeMs - a.mtimeMs)
  for (const { folder } of others.slice(buildsMax - 1)) {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Makes a build the newest, also where the sources are those of an earlier one again. */
function makeNewest(folder: string) {
  const now = new Date()
  utimesSync(folder, now, now)
  writeFileSync(newestFile, basename(folder), { flush: true })
  removeOld(folder)
}

if (!findBuilt()) await buildServer()
const folder = findBuilt()
if (!folder) throw new Error('The sources changed while they were built: build them again.')
const isNewest = existsSync(newestFile) && readFileSync(newestFile, 'utf8') === basename(folder)
if (!isNewest) makeNewest(folder)
