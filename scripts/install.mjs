// Runs before `npm start` and `npm test`, on whatever Node (20 or later) the system has: installs
// what is missing, Node 26 included, builds the server and the browser application, and says nothing
// when nothing is to be done.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const stamp = join(root, 'node_modules', '.outrider-install')

/** What is installed depends on the lock and the platform, so a moved or updated checkout differs. */
function describeInstall() {
  const lock = readFileSync(join(root, 'package-lock.json'))
  const digest = createHash('sha256').update(lock).digest('hex')
  return `${process.platform}-${process.arch} ${digest}\n`
}

function install() {
  console.error('Installing what is missing ...')
  // Never `npm ci`: it refuses the lock where a registry lacks another platform's packages. The
  // includes undo a user's `omit`: the runtime itself is an optional dependency.
  const { status } = spawnSync(
    'npm',
    ['install', '--loglevel=error', '--no-update-notifier', '--include=dev', '--include=optional'],
    { cwd: root, stdio: ['ignore', process.stderr, process.stderr], shell: onWindows },
  )
  if (status !== 0) process.exit(status ?? 1)
  writeFileSync(stamp, describeInstall())
}

function checkRuntime() {
  const major = Number(process.versions.node.split('.')[0])
  if (existsSync(installedNode)) return
  if (major >= 26) return
  console.error(
    `No Node 26 exists for ${process.platform}-${process.arch} on npm: install it first.`,
  )
  process.exit(1)
}

/** By the Node that was installed: the shell that started this one knows only the old one. */
function build(name) {
  const node = existsSync(installedNode) ? installedNode : process.execPath
  const script = join(root, 'scripts', name)
  return spawnSync(node, [script], { stdio: 'inherit', shell: onWindows }).status === 0
}

function buildServer() {
  if (build('build-server.ts')) return
  console.error('The server could not be built; it runs from its sources, which start more slowly.')
}

function buildApplication() {
  if (build('build-web.ts')) return
  const hasOld = existsSync(join(root, 'server', 'application'))
  const served = hasOld ? 'its pages are those of the version before' : 'the API starts without it'
  console.error(`The browser application could not be built; ${served}.`)
}

const onWindows = process.platform === 'win32'
const installedNode = join(root, 'node_modules', '.bin', onWindows ? 'node.cmd' : 'node')
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== describeInstall()) {
  install()
  checkRuntime()
}
buildServer()
buildApplication()
