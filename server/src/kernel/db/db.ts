import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { NamedClient } from './client.ts'
import { Pipeline } from './pipeline.ts'
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

export function connect(url: string, connectionsMax: number): Database {
  const settings = {
    connectionString: url,
    application_name: 'outrider',
    connectionTimeoutMillis: 10_000,
    idle_in_transaction_session_timeout: 60_000,
  }
  const pool = new pg.Pool({ ...settings, Client: NamedClient, max: connectionsMax })
  // A connection that breaks fails its statement and is replaced by the pool; unheard, the event
  // would end the process, of an idle connection and of one in use.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => void client.on('error', () => undefined))
  const database = fromPool(pool)
  const pipeline = new Pipeline(settings)
  pipelines.set(database.db, pipeline)
  const endPool = pool.end.bind(pool)
  // Whoever destroys the handle ends the pool, and with it everything that belongs to the handle.
  pool.end = (async () => {
    await Promise.all([endPool(), pipeline.end()])
  }) as typeof pool.end
  return database
}

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
