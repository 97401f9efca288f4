import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { findBuilt } from '../bin/sources.mjs'
import { migrate } from '../src/kernel/db/migrate.ts'
import { clusterAt, startPostgres } from '../src/kernel/postgres/index.ts'
import { choosePort } from '../src/kernel/postgres/port.ts'
import type { Answer } from './app.ts'
import { quickDirectory } from './quick-directory.ts'
import { createSignal } from './signal.ts'

/** What runs on an operator's machine; a test run builds it first. */
export const program = join(requireBuilt(), 'cli.js')

function requireBuilt(): string {
  const folder = findBuilt()
  if (folder) return folder
  throw new Error('A source changed since the test run began, which builds: begin it again.')
}

export type Settings = Record<string, string | undefined>

interface LogLine {
  msg: string
  address?: string
  [field: string]: unknown
}

interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

/** A real process of the service, as an operator starts it. */
export interface ServiceProcess extends AsyncDisposable {
  pid: number
  /** Every line of the log so far. */
  logLines: LogLine[]
  /** Everything written to standard error so far. */
  errors: () => string
  /** Resolves once this stands there. */
  told: (text: string) => Promise<unknown>
  /** The first line with this message, now or later; rejects when the process ends without one. */
  logged: (message: string) => Promise<LogLine>
  /** Where it answers; resolves once it has started. */
  address: () => Promise<string>
  kill: (signal: NodeJS.Signals) => void
  exited: Promise<Exit>
}

/**
 * Starts `npm start` (main), `outrider api` or `outrider runner`, on any free port.
 *
 * @param options.ownGroup as the first of a process group of its own, which a signal can be sent to
 * @param options.stdout where its log goes instead of to this test: a descriptor
 * @param options.command what starts it in place of Node, and ends with it or before
 */
export function startService(
  role: 'main' | 'api' | 'runner',
  settings: Settings,
  options: { ownGroup?: boolean; stdout?: number; command?: string[] } = {},
): ServiceProcess {
  const [command = '', ...args] = options.command ?? [process.execPath, program]
  const child = spawn(command, [...args, role === 'main' ? 'start' : role], {
    env: environment({ PORT: '0', ...settings }),
    detached: options.ownGroup ?? false,
    stdio: ['ignore', options.stdout ?? 'pipe', 'pipe'],
  })
  const logLines: LogLine[] = []
  const lines = createInterface(child.stdout ?? Readable.from([]))
  lines.on('line', (line) => logLines.push(parse(line)))
  let errors = ''
  const telling = createSignal()
  child.stderr?.on('data', (chunk) => {
    errors += chunk
    telling.raise()
  })
  const exited = endOf(child)
  const logged = (message: string) =>
    new Promise<LogLine>((resolve, reject) => {
      const seen = logLines.find((line) => line.msg === message)
      if (seen) return resolve(seen)
      lines.on('line', (line) => {
        if (parse(line).msg === message) resolve(parse(line))
      })
      void exited.then(() => reject(new Error(`${role} ended without "${message}": ${errors}`)))
    })
  return {
    pid: Number(child.pid),
    logLines,
    errors: () => errors,
    told: (text) => telling.until(() => errors.includes(text)),
    logged,
    address: async () => String((await logged('started')).address),
    kill: (signal) => void child.kill(signal),
    exited,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

export interface Ran extends Exit {
  stdout: string
  stderr: string
}

/** One operator command under way. */
export interface OperatorProcess extends AsyncDisposable {
  kill: (signal: NodeJS.Signals) => void
  exited: Promise<Exit>
}

export function startOperator(args: string[], settings: Settings): OperatorProcess {
  const child = spawnOperator(args, settings)
  child.stdout.resume()
  child.stderr.resume()
  const exited = endOf(child)
  return {
    kill: (signal) => void child.kill(signal),
    exited,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

const spawnOperator = (args: string[], settings: Settings) =>
  spawn(process.execPath, [program, ...args], {
    env: environment(settings),
    stdio: ['ignore', 'pipe', 'pipe'],
  })

/** Runs one operator command to its end. */
export async function runOperator(args: string[], settings: Settings): Promise<Ran> {
  const child = spawnOperator(args, settings)
  const [stdout, stderr, exit] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    endOf(child),
  ])
  return { ...exit, stdout, stderr }
}

/** What a command that must succeed prints with `--json`. */
export async function operatorJson(args: string[], settings: Settings): Promise<Answer['body']> {
  const { code, signal, stdout, stderr } = await runOperator([...args, '--json'], settings)
  if (code === 0) return JSON.parse(stdout)
  throw new Error(`outrider ${args.join(' ')} ended with ${code ?? signal}: ${stderr}`)
}

/** A directory of its own, removed after the test. */
export async function makeDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(await quickDirectory(), 'outrider-test-'))
  // PostgreSQL of a killed process may still be writing its last files.
  onTestFinished(() => rm(dataDir, { recursive: true, force: true, maxRetries: 20 }))
  return dataDir
}

/**
 * The same with a database that was migrated and never served: for what comes after a first start, which
 * makes one, migrates it and loads the sample directory.
 */
export async function makeDataDirWithDatabase(): Promise<string> {
  const dataDir = await makeDataDir()
  await run('cp', ['-a', join(await migratedCluster(), 'postgres'), dataDir])
  // Each its own: else one that was killed could find another one at its address.
  const { urlFile } = clusterAt(dataDir)
  const url = new URL(await readFile(urlFile, 'utf8'))
  url.port = String(await choosePort())
  await writeFile(urlFile, `${url}\n`)
  return dataDir
}

/** Made once in a run, under a lock: test files run side by side. @returns a DATA_DIR */
async function migratedCluster(): Promise<string> {
  const folder = inject('clusterFolder')
  const made = join(folder, 'made')
  const admin = new pg.Client({ connectionString: inject('postgresUrl') })
  await admin.connect()
  try {
    await admin.query('select pg_advisory_lock(2)')
    if (existsSync(made)) return made
    const begun = await mkdtemp(join(folder, 'begun-'))
    const log = { info: () => undefined, warn: console.warn, error: console.error }
    const postgres = await startPostgres({ dataDir: begun, log, durable: false })
    await migrate(postgres.url)
    await postgres.stop()
    await rename(begun, made)
    return made
  } finally {
    await admin.end()
  }
}

const run = promisify(execFile)

/** Only what every environment has, and quick starts: settings of the machine must not reach the tests. */
const environment = (settings: Settings): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  NODE_COMPILE_CACHE: inject('compileCache'),
  ...settings,
})

async function endOf(child: ChildProcess): Promise<Exit> {
  const [code, signal] = (await once(child, 'close')) as [Exit['code'], Exit['signal']]
  return { code, signal }
}

const parse = (line: string): LogLine =>
  line.startsWith('{') ? (JSON.parse(line) as LogLine) : { msg: line }
