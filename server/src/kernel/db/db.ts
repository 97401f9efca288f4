import { Kysely, type KyselyPlugin, PostgresDialect } from 'kysely'
import pg from 'pg'
import { parseJsonText } from '../json/parse-json-text.ts'
import type { NamedClient } from './client.ts'
import { connectionSettings, gatedClient } from './connection.ts'
import { startProbe } from './connection-probe.ts'
import { databaseReadOnly, databaseSilent, isReadOnly } from './failure.ts'
import { Pipeline } from './pipeline.ts'
import { ReconnectGate } from './reconnect.ts'
import { watchForSilence } from './silence.ts'
import { commandTimeouts, type DatabaseTimeouts } from './timeouts.ts'
import type { DB } from './types.gen.ts'

/**
 * A handle, of a pool or of an open transaction: query functions do not care which. A statement on
 * the tables of a workspace takes this one, which is bound to it; `bind` makes it.
 */
export type Db = Kysely<DB> & { readonly workspaceId: string }

/** Bound to no workspace: for the process's own tables, and for the marked statements over many. */
export type ProcessDb = Kysely<DB> & { readonly workspaceId?: undefined }

/** A handle for tables that belong to no workspace. */
export type AnyDb = Kysely<DB> & { readonly workspaceId?: string | undefined }

/** The part of a pool that is used, so that a simulation can stand in its own. */
export type Pool = Pick<pg.Pool, 'connect' | 'query' | 'end'> & {
  totalCount: number
  idleCount: number
  waitingCount: number
}

export interface Database {
  db: ProcessDb
  pool: Pool
}

// A calendar date is text: a `Date` at local midnight would be another day elsewhere.
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text)

for (const type of [pg.types.builtins.JSON, pg.types.builtins.JSONB]) {
  pg.types.setTypeParser(type, parseJsonText)
}

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
  const open = () => new Client({ ...settings, pipeline: true })
  // Answers of one connection come in order: a question to the database must not wait behind a read.
  const questions = new Pipeline(open)
  const ask = () => questions.query('select 1', []).catch(() => undefined)
  const pipeline = new Pipeline(() => {
    void ask()
    return open()
  })
  const database = fromPool(pool, pipeline)
  const clients = new Set<pg.PoolClient>()
  pool.on('remove', (client) => clients.delete(client))
  const cut = (error: Error) => {
    for (const client of clients)
      (client as unknown as NamedClient).connection.stream.destroy(error)
    pipeline.cut(error)
    questions.cut(error)
  }
  pool.on('connect', (client) => {
    clients.add(client)
    // Made together with the others: a network may drop what is connected, and let new connections through.
    void ask()
    // What this leads to will not take the next change either; the gate finds who does.
    const { connection } = client as unknown as NamedClient
    connection.on('errorMessage', (error) => isReadOnly(error) && cut(databaseReadOnly()))
  })
  const endWatch = watchForSilence({
    isBusy: () => pool.totalCount > pool.idleCount || pipeline.isBusy,
    ask,
    startProbe: timeouts.isPooled ? () => startProbe(url, timeouts) : undefined,
    onSilence: () => cut(databaseSilent()),
  })
  const endPool = pool.end.bind(pool)
  // Whoever destroys the handle ends the pool, and with it everything that belongs to the handle.
  pool.end = (async () => {
    endWatch()
    // A goodbye needs somebody at the other end; after this time the sockets are simply closed.
    const late = setTimeout(() => cut(new Error('Connection terminated')), goodbyeMs)
    await Promise.all([endPool(), pipeline.end(), questions.end()]).finally(() =>
      clearTimeout(late),
    )
  }) as typeof pool.end
  return database
}

const goodbyeMs = 800

export function fromPool(pool: Pool, pipeline?: Pipeline): Database {
  const db: ProcessDb = new Kysely<DB>({
    dialect: new PostgresDialect({ pool: pool as pg.Pool }),
    plugins: watch ? [watch(undefined)] : [],
  })
  ;(db as Handle).connections = { pool, pipeline }
  return { db, pool }
}

/** A handle on the same connections, or the same transaction, for work in one workspace. */
export function bind(db: AnyDb, workspaceId: string): Db {
  if (db.workspaceId === workspaceId) return db as Db
  if (db.workspaceId !== undefined) throw new Error('A handle is bound to one workspace for good.')
  const copy: Handle = watch
    ? db.withoutPlugins().withPlugin(watch(workspaceId))
    : db.$extendTables<Record<string, never>>()
  copy.connections = (db as Handle).connections
  copy.workspaceId = workspaceId
  return copy as Db
}

/** A transaction that was begun on `db` knows its workspace, too. */
export function boundAs<Bound extends AnyDb>(db: Bound, tx: Kysely<DB>): Bound {
  ;(tx as Handle).workspaceId = db.workspaceId
  return tx as Bound
}

/** The pool behind a handle; undefined for an open transaction. */
export const poolOf = (db: AnyDb): Pool | undefined => (db as Handle).connections?.pool

/** Undefined for an open transaction, and where statements must go through the pool. */
export const pipelineOf = (db: AnyDb): Pipeline | undefined => (db as Handle).connections?.pipeline

/** Sees the statements that the builder makes for a workspace, or for none. */
type Watch = (workspaceId: string | undefined) => KyselyPlugin

let watch: Watch | undefined

/** Watches the handles that are made from now on, for tests. */
export function watchHandles(given: Watch) {
  watch = given
}

/** A handle as it is made here. What it knows is kept in it: one is made for every request. */
type Handle = Kysely<DB> & {
  workspaceId?: string | undefined
  connections?: { pool: Pool; pipeline: Pipeline | undefined } | undefined
}
