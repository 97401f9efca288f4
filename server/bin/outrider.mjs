#!/usr/bin/env node
// Plain JavaScript that an old Node can read: it hands over to the Node that npm installed.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import module from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { findBuilt } from './sources.mjs'

/** What was built starts sooner and in less memory; after an update, until it is built again, the sources run. */
const built = findBuilt()
const cli = built ? join(built, 'cli.js') : fileURLToPath(new URL('../src/cli.ts', import.meta.url))

/** Of what Node makes of the program: with it a command starts sooner and in less memory. */
const cache = built
  ? join(built, '.cache')
  : fileURLToPath(new URL('../node_modules/.cache/outrider', import.meta.url))
const args = process.argv.slice(2)
const flags = flagsFor(args)

/**
 * What glibc is told in the programs that have flags (mallopt(3), other C libraries ignore it): memory of
 * large buffers goes back to the system as soon as it is free, and threads share their pools. Left to
 * itself it raises its threshold with each large buffer, and keeps what mails of a megabyte needed once.
 */
const malloc = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' }
const env = {
  NODE_COMPILE_CACHE: cache,
  ...(flags.length > 0 && malloc),
  // biome-ignore lint/style/noProcessEnv: it is handed on as it is
  ...process.env,
}

if (Number(process.versions.node.split('.')[0]) < 26) handOver()
else if (flags.length > 0 && process.execArgv.length === 0 && process.platform !== 'win32')
  restart()
else await run()

async function run() {
  module.enableCompileCache(env.NODE_COMPILE_CACHE)
  await import(pathToFileURL(cli).href)
}

function flagsFor([noun, verb]) {
  if (['start', 'api', 'runner'].includes(noun)) return flagsOf('service')
  return noun === 'directory' && verb === 'import' ? flagsOf('import') : []
}

function flagsOf(program) {
  const file = new URL('../v8-flags.json', import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8'))[program].flags
}

/** The same process with other flags: its supervisor's signals reach it as before. */
function restart() {
  process.execve(process.execPath, [process.execPath, ...flags, cli, ...args], env)
}

function handOver() {
  const node = findNode(dirname(cli))
  if (!node) {
    process.stderr.write(
      `Outrider needs Node 26, and this is ${process.version}: run "npm install" in its folder first.\n`,
    )
    process.exitCode = 1
    return
  }
  const child = spawn(node, [...flags, cli, ...args], { stdio: 'inherit', env })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
}

function findNode(folder) {
  const node = join(folder, 'node_modules', '.bin', 'node')
  if (existsSync(node)) return node
  const parent = dirname(folder)
  return parent === folder ? undefined : findNode(parent)
}
