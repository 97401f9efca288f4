// Builds the browser application when what it is made of has changed, and says nothing when nothing
// has. Runs before `npm start` and `npm test`, after the install.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { keepEarlierAssets } from './earlier-assets.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const web = join(root, 'web')
// Within the server, so that a package of it has the application in it.
const dist = join(root, 'server', 'application')
const stamp = join(dist, '.stamp')

/** Of everything that the build reads: the sources, and by the lock all packages. */
function digestSources() {
  const sources = ['src', 'public'].flatMap((folder) =>
    readdirSync(join(web, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(web, join(entry.parentPath, entry.name))),
  )
  const names = [...sources, 'index.html', 'vite.config.ts', 'tsconfig.json', 'package.json']
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')))
  for (const name of names.sort()) hash.update(name).update(readFileSync(join(web, name)))
  return hash.digest('hex')
}

function build(digest: string) {
  console.error('Building the application ...')
  // Beside the old one, and then in its place: a build that fails or is cut off leaves what works.
  const fresh = `${dist}.${process.pid}`
  const { status } = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules', 'vite', 'bin', 'vite.js'),
      ...['build', '--outDir', fresh, '--emptyOutDir', '--logLevel', 'error'],
    ],
    { cwd: web, stdio: ['ignore', process.stderr, process.stderr] },
  )
  if (status !== 0) {
    rmSync(fresh, { recursive: true, force: true })
    process.exit(status ?? 1)
  }
  compress(join(fresh, 'assets'))
  keepEarlierAssets(dist, fresh)
  writeFileSync(join(fresh, '.stamp'), digest)
  rmSync(dist, { recursive: true, force: true })
  try {
    renameSync(fresh, dist)
  } catch (error) {
    // Another build was faster.
    rmSync(fresh, { recursive: true })
    if (!isCurrent(digest)) throw error
  }
}

/** Once, and well, so that the server only picks the file that a browser takes. */
function compress(folder: string) {
  for (const name of readdirSync(folder).filter((name) => /\.(js|json|css|svg)$/.test(name))) {
    const content = readFileSync(join(folder, name))
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
    writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }))
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(content, { params }))
  }
}

const isCurrent = (digest: string) => existsSync(stamp) && readFileSync(stamp, 'utf8') === digest

const digest = digestSources()
if (!isCurrent(digest)) build(digest)
