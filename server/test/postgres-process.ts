import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { choosePort } from '../src/kernel/postgres/port.ts'
import { requirePrograms } from '../src/kernel/postgres/programs.ts'
import { quickDirectory } from './quick-directory.ts'

/** A PostgreSQL that is killed, and started again on the same files. */
export interface PostgresProcess extends AsyncDisposable {
  port: number
  /** Of its database `postgres`, whose user needs no password. */
  url: string
  /** Of the postmaster. */
  readonly pid: number
  /** As by kill -9 of all its processes. */
  kill: () => Promise<void>
  /** Resolves once it answers at the same address. */
  start: () => Promise<void>
}

/** They do not run as root. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** A folder that they may write to, removed with `remove`. */
export async function makeFolder(name: string) {
  const folder = await mkdtemp(join(await quickDirectory(), name))
  await chmod(folder, 0o755)
  if (nobody.uid) await chown(folder, nobody.uid, nobody.gid)
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 20 })
  return { folder, remove }
}

export const runProgram = (path: string, args: string[]) =>
  promisify(execFile)(path, args, { ...nobody, cwd: '/' })

/** @param programs the folder that initdb is in */
export const createFiles = (programs: string, directory: string) =>
  runProgram(join(programs, 'initdb'), [
    ...['-D', directory, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
  ])

export const urlOf = (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`

/** One of its own, of the embedded version, with these further settings. */
export async function startOwnPostgres(settings: string[] = []): Promise<PostgresProcess> {
  const programs = dirname(requirePrograms().postgres)
  const { folder, remove } = await makeFolder('outrider-postgres-')
  const directory = join(folder, 'data')
  await createFiles(programs, directory)
  const server = await startPostgresProcess(programs, directory, settings)
  return {
    ...server,
    get pid() {
      return server.pid
    },
    async [Symbol.asyncDispose]() {
      await server.kill()
      await remove()
    },
  }
}

/** Resolves once it answers. */
export async function startPostgresProcess(
  programs: string,
  directory: string,
  settings: string[] = [],
): Promise<PostgresProcess> {
  const port = await choosePort()
  const all = [
    ...['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories='],
    ...['fsync=off', 'max_connections=100', ...settings],
  ]
  const args = ['-D', directory, ...all.flatMap((setting) => ['-c', setting])]
  const launch = async () => {
    const child: ChildProcess = spawn(join(programs, 'postgres'), args, {
      ...{ ...nobody, cwd: '/', stdio: 'ignore', detached: true },
    })
    const exited = once(child, 'exit')
    while (!(await answers(port))) {
      if (child.exitCode !== null) throw new Error(`PostgreSQL in ${directory} did not start.`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    return { child, exited }
  }
  let running = await launch()
  const kill = async () => {
    const { child, exited } = running
    if (child.exitCode !== null || child.signalCode !== null) return
    // Its processes with it, which would else go on until they notice.
    process.kill(-Number(child.pid), 'SIGKILL')
    await exited
    // The last one has to be gone before its successor takes the files.
    while (isAlive(-Number(child.pid))) await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return {
    port,
    url: urlOf(port),
    get pid() {
      return Number(running.child.pid)
    },
    kill,
    async start() {
      running = await launch()
    },
    [Symbol.asyncDispose]: kill,
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const answers = (port: number) =>
  ask(urlOf(port), 'select 1').then(
    () => true,
    () => false,
  )

/** One statement on a connection of its own. */
export async function ask(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
