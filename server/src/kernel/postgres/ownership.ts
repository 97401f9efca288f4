import { realpath } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { openClient } from '../db/open-client.ts'
import type { Log } from '../log.ts'
import { type Cluster, clusterAt, clusterExists, readUrl } from './cluster.ts'
import { patienceMs } from './patience.ts'
import { findPort, findPostmaster } from './postmaster.ts'

/** Held for the life of the process that serves a DATA_DIR. */
export interface Ownership {
  client: pg.Client
  /** Resolves when the connection that carries the lock is gone. */
  lost: Promise<void>
}

/** The address of the database of a running server, for commands beside it. */
export async function findRunning(dataDir: string): Promise<string | undefined> {
  const cluster = clusterAt(dataDir)
  if (!(await clusterExists(cluster))) return undefined
  const url = await findUrl(cluster)
  const client = await connect(cluster, url)
  await client?.end()
  return client && String(url)
}

/**
 * As findRunning, for who would start the server where none runs: one that is starting, recovering or
 * stopping is waited for, and never taken for one that was left over.
 *
 * @throws when it does not answer for long
 */
export async function waitForRunning(
  dataDir: string,
  { log, signal }: { log: Pick<Log, 'warn'>; signal?: AbortSignal | undefined },
): Promise<string | undefined> {
  const giveUpAtMs = performance.now() + patienceMs
  for (let isTold = false; ; isTold = true) {
    const url = await findRunning(dataDir)
    if (url || !(await findPostmaster(clusterAt(dataDir)))) return url
    if (performance.now() > giveUpAtMs) throw new Error(doesNotAnswer(dataDir))
    if (!isTold) log.warn({}, 'waiting for a PostgreSQL that is starting or stopping')
    await sleep(50, undefined, { signal })
  }
}

const doesNotAnswer = (dataDir: string) =>
  `The PostgreSQL that runs on DATA_DIR ${dataDir} does not answer yet, as while it recovers after a power loss: try again later. ${clusterAt(dataDir).logFile} says what it does.`

/**
 * The lock is a session's, so it ends with its process or its server and leaves nothing stale. It
 * lives in the maintenance database: locks are per database.
 *
 * @returns undefined when no server answers, 'taken' when another process has the lock
 */
export async function takeOwnership(cluster: Cluster): Promise<Ownership | 'taken' | undefined> {
  const url = await findUrl(cluster)
  url.pathname = '/postgres'
  const client = await connect(cluster, url)
  if (!client) return undefined
  const lost = new Promise<void>((resolve) => client.once('end', resolve))
  try {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as locked', [lockKey])
    if (rows[0].locked) return { client, lost }
    await client.end()
    return 'taken'
  } catch {
    // Stopped under our hands, by whoever took it for one that was left over.
    void client.end().catch(() => undefined)
    return undefined
  }
}

/** 'outrider' in ASCII. */
const lockKey = '8031453545228428658'

const sessionName = 'outrider embedded'

async function findUrl(cluster: Cluster): Promise<URL> {
  const url = await readUrl(cluster)
  url.port = String((await findPort(cluster)) ?? url.port)
  return url
}

/** Undefined unless the server that answers is the one on these very files. */
async function connect(cluster: Cluster, url: URL): Promise<pg.Client | undefined> {
  let client: pg.Client | undefined
  try {
    client = await openClient(String(url), sessionName, 5000)
    const { rows } = await client.query(`select current_setting('data_directory') as directory`)
    // A copied DATA_DIR names the server of the original.
    if ((await realpath(rows[0].directory)) === (await realpath(cluster.data))) return client
  } catch {
    // Nobody there, starting, stopping or a stranger: no server of ours answers.
  }
  // Not waited for: a server that is stopping may never tell the end.
  void client?.end().catch(() => undefined)
  return undefined
}
