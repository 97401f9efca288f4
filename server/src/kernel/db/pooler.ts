import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { openClient } from './open-client.ts'

/** What keeps connections between this process and PostgreSQL, such as PgBouncer. */
export interface Pooler {
  /** How long a client keeps a connection to the server. */
  mode: 'session' | 'transaction' | 'statement'
  /** A statement that was prepared by name is found on every connection of the pool. */
  keepsPrepared: boolean
}

const answerMs = 4_000
const tries = 5
const pidQuery = 'select pg_backend_pid() as pid'

/**
 * Finds out whether `url` leads to PostgreSQL itself, and what stands between if not. A pooler gives
 * its clients keys of its own (BackendKeyData), so the server's process has another number than the
 * client was told.
 *
 * @returns undefined: nothing stands between. Where a pooler is too busy to tell, it is taken for one
 * that keeps sessions.
 */
export async function findPooler(url: string): Promise<Pooler | undefined> {
  const client = await open(url)
  try {
    if ((await askPid(client)) === numberOf(client)) return undefined
    return (await examine(url, client)) ?? { mode: 'session', keepsPrepared: true }
  } finally {
    await client.end()
  }
}

/** While another client holds the connection that `client` used last, sessions are not kept. */
async function examine(url: string, client: pg.Client): Promise<Pooler | undefined> {
  for (let attempt = 0; attempt < tries; attempt++) {
    const other = await open(url)
    try {
      // A name of its own: a pooler that does not rename statements leaves those of other probes, too.
      const probe = `outrider_probe_${randomUUID()}`
      const pid = await askPid(client, probe)
      const began = await ask(other, { text: 'begin' }).catch((error: Error) => error)
      if (began instanceof Error) return isAnswer(began) ? statementMode : undefined
      if ((await askPid(other)) !== pid) continue
      // It is sent by name alone now, to a connection that has not seen it.
      const keepsPrepared = await askPid(client, probe).then(
        () => true,
        () => false,
      )
      return { mode: 'transaction', keepsPrepared }
    } catch {
      return undefined
    } finally {
      await other.end()
    }
  }
}

const statementMode: Pooler = { mode: 'statement', keepsPrepared: false }

/** Not merely an answer that did not come in time. */
const isAnswer = (error: Error) => 'code' in error

/**
 * The cluster and the database that a URL leads to, the same through a pooler. By its timeline a standby that
 * took over is another one than the primary of before.
 */
export async function identify(url: string): Promise<string> {
  const client = await open(url)
  try {
    const { rows } = await ask(client, {
      text: `select system_identifier || ' ' || current_database() as name from pg_control_system()`,
    })
    return `${rows[0].name} ${await findTimeline(client)}`
  } finally {
    await client.end()
  }
}

/** A standby writes none, and services like Amazon Aurora do not tell theirs. */
async function findTimeline(client: pg.Client): Promise<string | undefined> {
  const text = 'select left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline'
  try {
    return (await ask(client, { text })).rows[0].timeline
  } catch (error) {
    if (isAnswer(error as Error)) return undefined
    throw error
  }
}

const open = (url: string) => openClient(url, 'outrider probe', answerMs)

const ask = (client: pg.Client, query: { text: string; name?: string }): Promise<pg.QueryResult> =>
  client.query({ ...query, query_timeout: answerMs } as pg.QueryConfig)

const askPid = async (client: pg.Client, name?: string): Promise<number> =>
  (await ask(client, { text: pidQuery, ...(name ? { name } : {}) })).rows[0].pid

/** As the other side told it; the driver's types leave it out. */
const numberOf = (client: pg.Client) => (client as unknown as { processID: number }).processID
