import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { findLowDisk } from '../low-disk.ts'
import { type Cluster, giveToOwner } from './cluster.ts'
import { programEnvironment } from './launcher.ts'
import { patienceMs } from './patience.ts'
import { StartFailure } from './postmaster.ts'

/** Nobody else starts a server on these files while it is held. */
export interface Lock {
  /** Names this process to those who are refused. */
  tell(): Promise<void>
  /** Tells those who start meanwhile that this process is about to let go, so that they wait for it. */
  tellOfLeaving(): Promise<void>
  release(): Promise<void>
}

/**
 * The kernel's lock on a file, which ends with this process however it ends. It holds where process
 * ids and addresses say nothing: between containers that share the volume. flock(1) takes it on what
 * both have open; where there is none, as on macOS, the lock in the database has to do.
 *
 * @throws when another process holds it
 */
export async function takeLock(
  cluster: Cluster,
  { log, signal }: { log: Pick<Log, 'info'>; signal?: AbortSignal | undefined },
): Promise<Lock> {
  const path = fileOf(cluster)
  const handle = await open(path, 'a', 0o600)
  const tell = async () => {
    await handle.truncate()
    await handle.writeFile(ownName)
  }
  try {
    await giveToOwner(cluster, path)
    const giveUpAtMs = performance.now() + patienceMs
    for (let isTold = false; ; isTold = true) {
      const state = await tryFlock(handle.fd)
      if (state === 'held') await tell()
      if (state !== 'taken') break
      if (!(await isLeaving(cluster)) || performance.now() > giveUpAtMs)
        throw await alreadyServed(cluster)
      if (!isTold) log.info({}, waiting)
      await sleep(50, undefined, { signal })
    }
  } catch (error) {
    await handle.close()
    throw error
  }
  return {
    tell,
    // Added to the name, and left there: who is refused meanwhile reads either of them, and never nothing.
    tellOfLeaving: () => handle.appendFile(leaving).catch(() => undefined),
    release: () => handle.close(),
  }
}

export const waiting = 'waiting for another Outrider that is stopping'

export const isLeaving = async (cluster: Cluster) => (await readHolder(cluster)).endsWith(leaving)

export async function alreadyServed(cluster: Cluster): Promise<StartFailure> {
  const holder = await readHolder(cluster)
  const named = holder && ` (${holder})`
  // Then its PostgreSQL may have ended, and comes back by itself.
  const low = await findLowDisk(cluster.dataDir)
  return new StartFailure(
    'taken',
    `Another Outrider already runs on DATA_DIR ${cluster.dataDir}${named}${low ? `. ${low}` : leaveIt}`,
  )
}

const leaveIt = ': stop it, or let it end if it is a command, or set DATA_DIR to another directory.'

const fileOf = ({ data }: Cluster) => join(dirname(data), 'lock')

/** Its first words alone: those after them may be what a person keeps to themselves. */
const command = process.argv.slice(2, 4).filter((word) => /^[a-z-]+$/.test(word))
const ownName = `"${['outrider', ...command].join(' ')}", process ${process.pid} on ${hostname()}`
const leaving = ', stopping'

const readHolder = (cluster: Cluster) => readFile(fileOf(cluster), 'utf8').catch(() => '')

/** The lock belongs to what is open, so it stays when the program that took it ends. */
async function tryFlock(fd: number): Promise<'held' | 'taken' | 'unknown'> {
  const child = spawn('flock', ['-x', '-n', '3'], {
    env: programEnvironment,
    stdio: ['ignore', 'ignore', 'ignore', fd],
  })
  try {
    const [code] = await once(child, 'exit')
    return code === 0 ? 'held' : code === 1 ? 'taken' : 'unknown'
  } catch {
    // There is no such program.
    return 'unknown'
  }
}
