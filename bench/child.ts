import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import programs from '../server/v8-flags.json' with { type: 'json' }
import type { BenchService } from './service.ts'

/** What V8 is told in this program, however it is started. */
export const v8Flags = (program: keyof typeof programs): string[] => programs[program].flags

export interface Child extends AsyncDisposable {
  address: string
  pid: number
}

/**
 * `outrider api` or `runner` as an operator starts it, on the bench's database.
 *
 * @param options.fromSources for what looks into its modules: those of the built program are others
 */
export function startRole(
  role: 'api' | 'runner',
  service: Pick<BenchService, 'databaseUrl' | 'dataDir'>,
  env: Record<string, string> = {},
  { fromSources = false } = {},
): Promise<Child> {
  return start([fromSources ? '../server/src/cli.ts' : '../server/bin/outrider.mjs', role], {
    DATABASE_URL: service.databaseUrl,
    DATA_DIR: service.dataDir,
    PORT: '0',
    ...env,
  })
}

/** A script of this folder that logs `{"msg":"started","address":…}`. */
export const startScript = (name: string, env: Record<string, string>) => start([`./${name}`], env)

async function start([path = '', ...args]: string[], env: Record<string, string>): Promise<Child> {
  const file = fileURLToPath(new URL(path, import.meta.url))
  // Its log goes into a file: whoever read it from a pipe would take part in what is measured.
  const folder = await mkdtemp(join(tmpdir(), 'outrider-bench-log-'))
  const logFile = join(folder, 'log')
  const log = await open(logFile, 'w')
  const child = spawn(process.execPath, [file, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', log.fd, 'ignore'],
  })
  await log.close()
  const address = await readAddress(child, logFile)
  return {
    address,
    pid: Number(child.pid),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await once(child, 'close')
      await rm(folder, { recursive: true })
    },
  }
}

async function readAddress(child: ChildProcess, logFile: string): Promise<string> {
  while (child.exitCode === null) {
    for (const line of (await readFile(logFile, 'utf8')).split('\n')) {
      if (!line.includes('"msg":"started"')) continue
      return String((JSON.parse(line) as { address?: string }).address ?? '')
    }
    await wait(20)
  }
  throw new Error('the child ended before it had started')
}
