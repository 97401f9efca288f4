import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import {
  clusterAt,
  clusterExists,
  createCluster,
  openCluster,
  readUrl,
  removeUnfinished,
} from './cluster.ts'
import { type Lock, takeLock } from './lock.ts'
import { requirePrograms } from './programs.ts'
import { type RunningServer, resumeServer, runServer, type ServerSetup } from './run-server.ts'

export interface StartOptions {
  dataDir: string
  log: ServerSetup['log']
  /** Ends a start that is under way; later it says that `stop` comes soon, for whoever starts next. */
  signal?: AbortSignal | undefined
  /** False: faster, but a power cut can lose data. For tests. */
  durable?: boolean
  /** Refused with `taken` wherever a server is found, also one that nobody may hold. */
  leavesOthers?: boolean
}

export interface EmbeddedPostgres extends AsyncDisposable {
  /** `postgres://outrider:<password>@127.0.0.1:<port>/outrider`, the same until `stop`. */
  url: string
  /** A checkpoint and a clean end, within 10 s. */
  stop(): Promise<void>
}

/**
 * A PostgreSQL of our own in `dataDir`, made on the first start. If it dies it is started again at
 * the same address. Call this on the main thread: the kernel stops PostgreSQL with the thread that
 * started it.
 *
 * @throws when another process serves `dataDir`, or with what to do where PostgreSQL cannot run
 */
export async function startPostgres(options: StartOptions): Promise<EmbeddedPostgres> {
  const { log, signal, durable = true, leavesOthers = false } = options
  const cluster = clusterAt(resolve(options.dataDir))
  const programs = requirePrograms()
  if (!(await clusterExists(cluster))) {
    log.info({}, 'making the database')
    await createCluster(cluster, programs, { durable, signal })
  }
  const launcher = await openCluster(cluster, programs)
  const { postgres } = programs
  const setup: ServerSetup = { cluster, launcher, postgres, durable, log, leavesOthers }
  const lock = await takeLock(cluster, { log, signal })
  try {
    const server = await runServer(setup, { signal })
    try {
      await lock.tell()
      await removeUnfinished(cluster)
      await ensureDatabase(server.ownership.client)
      return keep(setup, server, { lock, url: await readUrl(cluster), signal })
    } catch (error) {
      await server.postmaster.stop()
      throw error
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}

function keep(
  setup: ServerSetup,
  first: RunningServer,
  { lock, url, signal }: { lock: Lock; url: URL; signal: AbortSignal | undefined },
): EmbeddedPostgres {
  const stopping = new AbortController()
  let server = first
  const tell = () => void lock.tellOfLeaving()
  const keeping = keepOn()
  signal?.addEventListener('abort', tell)

  async function keepOn() {
    while (!stopping.signal.aborted) {
      await Promise.race([server.postmaster.exited, server.ownership.lost])
      if (stopping.signal.aborted) break
      server = await persist()
    }
    await server.postmaster.stop()
  }

  async function persist(): Promise<RunningServer> {
    setup.log.error({}, 'PostgreSQL is gone, starting it again')
    for (let waitMs = 50; !stopping.signal.aborted; waitMs = Math.min(waitMs * 2, 5000)) {
      try {
        const again = await resumeServer(setup, server, {
          port: Number(url.port),
          signal: stopping.signal,
        })
        setup.log.info({}, 'PostgreSQL is back')
        return again
      } catch (error) {
        if (stopping.signal.aborted) break
        setup.log.warn({ reason: (error as Error).message }, 'PostgreSQL is not back yet')
      }
      await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
    return server
  }

  const stop = async () => {
    stopping.abort()
    signal?.removeEventListener('abort', tell)
    await server.postmaster.stop()
    await keeping
    await lock.release()
  }
  return { url: String(url), stop, [Symbol.asyncDispose]: stop }
}

/** At every start: the first one may have been killed before it came this far. */
async function ensureDatabase(client: pg.Client) {
  const { rowCount } = await client.query(`select from pg_database where datname = 'outrider'`)
  if (rowCount === 0) await client.query('create database outrider')
}
