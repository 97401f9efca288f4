#!/usr/bin/env node
// Plain JavaScript that an old Node can read: it hands over to the Node that npm installed.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const cli = fileURLToPath(new URL('../src/cli.ts', import.meta.url))

/** A young generation that may grow to 16 MB instead of 64 MB halves what a busy process takes. */
const servingFlags = ['--max-semi-space-size=16']
const args = process.argv.slice(2)
const isServing = args[0] === 'api' || args[0] === 'runner'

if (Number(process.versions.node.split('.')[0]) < 26) handOver()
else if (isServing && process.execArgv.length === 0 && process.platform !== 'win32') becomeServer()
else await import('../src/cli.ts')

/** The same process with other flags: its supervisor's signals reach it as before. */
function becomeServer() {
  process.execve(process.execPath, [process.execPath, ...servingFlags, cli, ...args])
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
  const child = spawn(node, [...(isServing ? servingFlags : []), cli, ...args], {
    stdio: 'inherit',
  })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
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
