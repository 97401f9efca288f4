import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readdir, readFile, readlink, realpath, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findLowDisk } from '../low-disk.ts'
import { type Cluster, giveToOwner } from './cluster.ts'
import { type Launcher, programEnvironment } from './launcher.ts'

/** A PostgreSQL server process that this process started. */
export interface Postmaster {
  isAlive(): boolean
  /** Resolves when the process is gone, for whatever reason. */
  exited: Promise<void>
  stop(): Promise<void>
}

/**
 * `busy`: another one is not quite gone yet. `port`: somebody has the port. Both may pass. `taken`:
 * another process serves these files, or is about to.
 */
export class StartFailure extends Error {
  readonly kind: 'busy' | 'port' | 'taken' | 'broken'

  constructor(kind: StartFailure['kind'], message: string) {
    super(message)
    this.name = 'StartFailure'
    this.kind = kind
  }
}

/**
 * Starts the server and waits until it accepts connections, through crash recovery if need be.
 * To be called on the main thread: the kernel ends PostgreSQL with the thread that started it.
 *
 * @throws StartFailure
 */
export async function startPostmaster(
  cluster: Cluster,
  launcher: Launcher,
  postgres: string,
  settings: string[],
  signal?: AbortSignal,
): Promise<Postmaster> {
  const log = await open(cluster.logFile, 'a', 0o600)
  const { size } = await log.stat()
  if (size === 0) await giveToOwner(cluster, cluster.logFile)
  // A file, not a pipe: PostgreSQL never waits for this process to read.
  if (size > logBytesMax) await log.truncate()
  const logStart = size > logBytesMax ? 0 : size
  const [program = postgres, ...args] = [...launcher.prefix, postgres, '-D', cluster.data]
  const child = spawn(program, [...args, ...settings], {
    cwd: '/',
    env: programEnvironment,
    // A session of its own: Ctrl-C in the terminal is ours to handle, PostgreSQL stops after us.
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    ...launcher.spawnAs,
  })
  const exited = once(child, 'exit').then(
    () => undefined,
    () => undefined,
  )
  await log.close()

  const isAlive = () => child.exitCode === null && child.signalCode === null
  const stop = async () => {
    for (const [kill, waitMs] of stopSteps) {
      if (!isAlive()) return
      child.kill(kill)
      await Promise.race([exited, sleep(waitMs, undefined, { ref: false })])
    }
  }
  const gone = exited.then(() => 'gone' as const)
  while ((await Promise.race([gone, readState(cluster)])) !== `${child.pid} ready`) {
    if (signal?.aborted) await stop()
    signal?.throwIfAborted()
    const pause = sleep(10, undefined, { ref: false })
    if ((await Promise.race([gone, pause])) === 'gone') throw await explain(cluster, logStart)
  }
  return { isAlive, exited, stop }
}

/** The port of the server on these files, if one runs. */
export async function findPort(cluster: Cluster): Promise<number | undefined> {
  return Number((await readPidFile(cluster))[3]) || undefined
}

/** The process id of a server that runs on these files, whoever started it. */
export async function findPostmaster(cluster: Cluster): Promise<number | undefined> {
  const lines = await readPidFile(cluster)
  if (lines.length === 0) return undefined
  const pid = readPid(lines)
  // A server that is just starting writes its number in the instant after it has made the file.
  if (pid === undefined) return findWorker(cluster)
  if (!isAlive(pid)) return undefined
  // Who is there, and may not be looked at, may be the server.
  return ((await worksFor(cluster, pid)) ?? isAlive(pid)) ? pid : undefined
}

/**
 * For who has found no server, and has the lock: a server in another container cannot be found, and
 * ends when its file is gone. Removed where PostgreSQL would refuse to start beside it for ever: after
 * a power loss it can be empty or cut, and its number can be that of another process. Should this ever
 * judge wrong, PostgreSQL's own lock on its shared memory still keeps a second server off the files.
 */
export async function removeLeftPidFile(cluster: Cluster): Promise<void> {
  const pid = readPid(await readPidFile(cluster))
  if (pid !== undefined && !isAlive(pid)) return
  await rm(join(cluster.data, 'postmaster.pid'), { force: true })
}

/** Fast shutdown first (a checkpoint, then exit), then one that recovers at the next start. */
const stopSteps = [
  ['SIGINT', 7000],
  ['SIGQUIT', 2000],
  ['SIGKILL', 2000],
] as const

const logBytesMax = 1_000_000

/** PostgreSQL's documented pid file: process id in line 1, port in line 4, state in line 8. */
async function readState(cluster: Cluster): Promise<string> {
  const lines = await readPidFile(cluster)
  return `${lines[0]} ${lines[7]?.trim()}`
}

const readPidFile = (cluster: Cluster): Promise<string[]> =>
  readFile(join(cluster.data, 'postmaster.pid'), 'utf8').then(
    (text) => text.split('\n'),
    () => [],
  )

/**
 * Whether this process is a server on these files: it belongs to their owner, and its working
 * directory is the data directory. Where that cannot be read its name has to do. Undefined: /proc says
 * nothing of it, because it is gone, or hidden as by hidepid.
 */
async function worksFor(cluster: Cluster, pid: number): Promise<boolean | undefined> {
  if (process.platform !== 'linux') return true
  const home = `/proc/${pid}`
  const [uid, owner] = await Promise.all([
    stat(home).then(
      (found) => found.uid,
      () => undefined,
    ),
    stat(cluster.data),
  ])
  if (uid === undefined) return undefined
  if (uid !== owner.uid) return false
  const cwd = await readlink(`${home}/cwd`).catch(() => undefined)
  if (cwd !== undefined) return cwd === (await realpath(cluster.data))
  const name = await readFile(`${home}/comm`, 'utf8').catch(() => undefined)
  return name === undefined ? undefined : name.trim() === 'postgres'
}

/** One that we may not signal is somebody else's: PostgreSQL runs as we do. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function readPid(lines: string[]): number | undefined {
  const pid = Math.abs(Number(lines[0]))
  return Number.isInteger(pid) && pid > 0 ? pid : undefined
}

async function findWorker(cluster: Cluster): Promise<number | undefined> {
  const names = await readdir('/proc').catch(() => [])
  for (const name of names) {
    if (/^\d+$/.test(name) && (await worksFor(cluster, Number(name)))) return Number(name)
  }
  return undefined
}

async function explain(cluster: Cluster, logStart: number): Promise<StartFailure> {
  const log = (await readFile(cluster.logFile)).subarray(logStart).toString()
  const fatal = [...log.matchAll(/(?:FATAL|PANIC): +(.*)/g)].at(-1)?.[1]
  // On a full disk the log ends before it says so, or has nothing.
  const reason =
    fatal ??
    (await findLowDisk(cluster.dataDir)) ??
    (log.trim().split('\n').at(-1) || `it wrote no reason into ${cluster.logFile}.`)
  const message = `PostgreSQL did not start in DATA_DIR ${cluster.dataDir}: ${reason}`
  if (/lock file|shared memory block/.test(reason)) return new StartFailure('busy', message)
  if (/TCP\/IP sockets/.test(reason)) return new StartFailure('port', message)
  return new StartFailure('broken', message)
}
