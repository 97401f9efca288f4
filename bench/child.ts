import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { BenchService } from './service.ts'

export interface Child extends AsyncDisposable {
  address: string
  pid: number
}

/** `outrider api` or `runner` as an operator starts it, on the bench's database. */
export function startRole(role: 'api' | 'runner', service: BenchService): Promise<Child> {
  return start(['../server/bin/outrider.mjs', role], {
    DATABASE_URL: service.databaseUrl,
    DATA_DIR: service.dataDir,
    PORT: '0',
  })
}

/** A script of this folder that logs `{"msg":"started","address":…}`. */
export const startScript = (name: string, env: Record<string, string>) => start([`./${name}`], env)

async function start([path = '', ...args]: string[], env: Record<string, string>): Promise<Child> {
  const file = fileURLToPath(new URL(path, import.meta.url))
  const child = spawn(process.execPath, [file, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const address = await readAddress(child)
  // Read and thrown away: a full pipe would hold the process up.
  child.stdout?.resume()
  return {
    address,
    pid: Number(child.pid),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await once(child, 'close')
    },
  }
}

async function readAddress(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('the child has no output')
  const lines = createInterface(child.stdout)
  try {
    for await (const line of lines) {
      if (!line.startsWith('{')) continue
      const { msg, address } = JSON.parse(line) as { msg: string; address?: string }
      if (msg === 'started') return String(address ?? '')
    }
  } finally {
    lines.close()
  }
  throw new Error('the child ended before it had started')
}
