import { statfs } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { type Cluster, readUrl, writeUrl } from './cluster.ts'
import type { Launcher } from './launcher.ts'
import { alreadyServed, isLeaving, waiting } from './lock.ts'
import { type Ownership, takeOwnership } from './ownership.ts'
import { patienceMs } from './patience.ts'
import { choosePort } from './port.ts'
import {
  findPostmaster,
  type Postmaster,
  removeLeftPidFile,
  StartFailure,
  startPostmaster,
} from './postmaster.ts'
import { serverSettings } from './settings.ts'

/** What it takes to start the server of one DATA_DIR. */
export interface ServerSetup {
  cluster: Cluster
  launcher: Launcher
  postgres: string
  durable: boolean
  log: Pick<Log, 'info' | 'warn' | 'error'>
  /** A server that is found on the files is left alone: it may be one that somebody just starts. */
  leavesOthers: boolean
}

/** A server that is ours: our child process, with our lock on it. */
export interface RunningServer {
  postmaster: Postmaster
  ownership: Ownership
}

export interface RunOptions {
  /** The address is known to others, so only this port will do. */
  port?: number
  signal?: AbortSignal | undefined
}

/**
 * For who has the lock on the file (`lock.ts`), where there is one. A DATA_DIR is held by a server
 * process and an advisory lock on it, in a session that lasts as long as the process that started it.
 * Whoever finds a server on the files tries the lock. Taken: another process serves this directory,
 * and we are refused, or wait if it is stopping. Free: that process was killed and its server survived
 * it; it is stopped and a new one started. No process ids are trusted across starts.
 *
 * @throws when another process holds it, or when the server cannot be started
 */
export async function runServer(
  setup: ServerSetup,
  { port, signal }: RunOptions,
): Promise<RunningServer> {
  const giveUpAtMs = performance.now() + patienceMs
  for (;;) {
    await stopSurvivor(setup, giveUpAtMs, signal)
    try {
      return await start(setup, port, signal)
    } catch (error) {
      const passing = error instanceof StartFailure && ['busy', 'port'].includes(error.kind)
      if (!passing || performance.now() > giveUpAtMs) throw error
    }
    await sleep(50, undefined, { signal })
  }
}

/** After a loss: the server again if it is gone, else only the lock. */
export async function resumeServer(
  setup: ServerSetup,
  server: RunningServer,
  options: RunOptions,
): Promise<RunningServer> {
  if (!server.postmaster.isAlive()) return runServer(setup, options)
  return { postmaster: server.postmaster, ownership: await own(setup.cluster) }
}

async function stopSurvivor(setup: ServerSetup, giveUpAtMs: number, signal?: AbortSignal) {
  const { cluster, log, leavesOthers } = setup
  let isTold = false
  for (;;) {
    signal?.throwIfAborted()
    const pid = await findPostmaster(cluster)
    if (!pid) return removeLeftPidFile(cluster)
    const ownership = leavesOthers ? 'taken' : await takeOwnership(cluster)
    if (ownership === 'taken') {
      if (leavesOthers || !(await isLeaving(cluster))) throw await alreadyServed(cluster)
      if (!isTold) log.info({}, waiting)
      isTold = true
    } else if (ownership) {
      log.warn({}, 'stopping the PostgreSQL of a process that was killed')
      process.kill(pid, 'SIGINT')
      await ownership.lost
    }
    if (performance.now() > giveUpAtMs) {
      throw new Error(
        `PostgreSQL already runs on DATA_DIR ${cluster.dataDir} as process ${pid} and does not answer: stop it first.`,
      )
    }
    await sleep(50, undefined, { signal })
  }
}

async function start(
  setup: ServerSetup,
  fixedPort?: number,
  signal?: AbortSignal,
): Promise<RunningServer> {
  const { cluster, launcher, log, durable } = setup
  const url = await readUrl(cluster)
  const port = fixedPort ?? (await choosePort(Number(url.port)))
  const slow = setTimeout(() => log.info({}, 'PostgreSQL is recovering'), 3000)
  const { blocks, bsize } = await statfs(cluster.dataDir)
  const settings = serverSettings(port, durable, blocks * bsize)
  const starting = startPostmaster(cluster, launcher, setup.postgres, settings, signal)
  const postmaster = await starting.finally(() => clearTimeout(slow))
  try {
    url.port = String(port)
    await writeUrl(cluster, url)
    return { postmaster, ownership: await own(cluster) }
  } catch (error) {
    await postmaster.stop()
    throw error
  }
}

async function own(cluster: Cluster): Promise<Ownership> {
  const ownership = await takeOwnership(cluster)
  if (ownership === 'taken') throw await alreadyServed(cluster)
  // Somebody who started at the same instant took ours for one that was left over: look again.
  if (!ownership) throw new StartFailure('busy', 'PostgreSQL does not answer.')
  return ownership
}
