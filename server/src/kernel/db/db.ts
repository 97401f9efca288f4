import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { NamedClient } from './client.ts'
import { connectionSettings, gatedClient } from './connection.ts'
import { databaseSilent } from './failure.ts'
import { Pipeline } from './pipeline.ts'
import { ReconnectGate } from './reconnect.ts'
import { watchForSilence } from './silence.ts'
import { commandTimeouts, type DatabaseTimeouts } from './timeouts.ts'
import type { DB } from './types.gen.ts'

/** A pool or an open transaction: query functions do not care which. */
export type Db = Kysely<DB>

/** The part of a pool that is used, so that a simulation can stand in its own. */
export type Pool = Pick<pg.Pool, 'connect' | 'query' | 'end'> & {
  totalCount: number
  idleCount: number
  waitingCount: number
}

export interface Database {
  db: Db
  pool: Pool
}

// A calendar date is text: a `Date` at local midnight would be another day elsewhere.
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text)

/** The engine reads its own form of a time four times as fast as the driver reads PostgreSQL's. */
const usualTime = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?\+00$/
const readTime = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ)
pg.types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text) =>
  usualTime.test(text)
    ? new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`)
    : (readTime(text) as unknown),
)

/** @param timeouts of the role that uses it; a command's when not given */
export function connect(
  url: string,
  connectionsMax: number,
  timeouts: DatabaseTimeouts = commandTimeouts,
): Database {
  const settings = connectionSettings(url, timeouts)
  const Client = gatedClient(new ReconnectGate(), timeouts)
  const pool = new pg.Pool({ ...settings, Client, max: connectionsMax })
  // A connection that breaks fails its statement and is replaced by the pool; unheard, the event
  // would end the process.
  pool.on('error', () => undefined)
  const database = fromPool(pool)
  const pipeline = new Pipeline(() => new Client({ ...settings, pipeline: true }))
  pipelines.set(database.db, pipeline)
  const clients = new Set<pg.PoolClient>()
  pool.on('connect', (client) => clients.add(client))
  pool.on('remove', (client) => clients.delete(client))
  const cut = (error: Error) => {
    for (const client of clients)
      (client as unknown as NamedClient).connection.stream.destroy(error)
    pipeline.cut(error)
  }
  const endWatch = watchForSilence({
    isBusy: () => pool.totalCount > pool.idleCount || pipeline.isBusy,
    ask: () => pipeline.query('select 1', []),
    onSilence: () => cut(databaseSilent()),
  })
  const endPool = pool.end.bind(pool)
  // Whoever destroys the handle ends the pool, and with it everything that belongs to the handle.
  pool.end = (async () => {
    endWatch()
    // A goodbye needs somebody at the other end; after this time the sockets are simply closed.
    const late = setTimeout(() => cut(new Error('Connection terminated')), goodbyeMs)
    await Promise.all([endPool(), pipeline.end()]).finally(() => clearTimeout(late))
  }) as typeof pool.end
  return database
}

const goodbyeMs = 800

export function fromPool(pool: Pool): Database {
  const db = new Kysely<DB>({ dialect: new PostgresDialect({ pool: pool as pg.Pool }) })
  pools.set(db, pool)
  return { db, pool }
}

/** The pool behind a handle; undefined for an open transaction. */
export const poolOf = (db: Db): Pool | undefined => pools.get(db)

/** Undefined for an open transaction, and where statements must go through the pool. */
export const pipelineOf = (db: Db): Pipeline | undefined => pipelines.get(db)

const pools = new WeakMap<Db, Pool>()
const pipelines = new WeakMap<Db, Pipeline>()
