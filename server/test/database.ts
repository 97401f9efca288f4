import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { inject, vi } from 'vitest'
import { bind, connect, type Database, type ProcessDb } from '../src/kernel/db/db.ts'
import { migrate, migrationNames } from '../src/kernel/db/migrate.ts'
import { createPartitions } from '../src/kernel/db/partitions.ts'
import { commandTimeouts } from '../src/kernel/db/timeouts.ts'
import type { DB } from '../src/kernel/db/types.gen.ts'
import { partitionedTables } from '../src/partitions.ts'
import { testInstant } from './instants.ts'
import { patience } from './patience.ts'
import { createSignal, type Signal } from './signal.ts'

/**
 * For what a test or a benchmark does itself, in any workspace and in none. Nothing of the service has
 * such a handle.
 */
export type FreeDb = Kysely<DB> & { readonly workspaceId: never }

/** What the capture of statements sees as the workspace of such a handle. */
export const free = 'free'

export function freeHandle(db: ProcessDb): FreeDb {
  return Object.assign(bind(db, free), { workspaceId: undefined as never })
}

export interface TestDatabase extends Database, AsyncDisposable {
  url: string
  /** Around the pooler, where the tests run through one. */
  directDb?: ProcessDb
  /**
   * Looks at the database behind the application's back: statements sent through here are not held
   * to the workspace rules.
   */
  peek: FreeDb
  /** Resolves with what `look` finds, which looks again whenever this process has done something here. */
  until: Signal['until']
  /** How many statements wait for a lock at this moment, of those with `text` in them. */
  countWaiting: (text?: string) => Promise<number>
  /** Resolves once so many of them wait: no signal tells of it. */
  untilWaiting: (count?: number, text?: string) => Promise<void>
  /** From now on the database's clock goes on from there. */
  setClock: (time: Date) => Promise<void>
  /** From now on the database's clock stands there, however long the test takes. */
  stopClock: (time: Date) => Promise<void>
  /** From now on it looks again, too, whenever another process has changed this table. */
  hear: (table: keyof DB) => Promise<void>
}

/** On a busy machine many may wait for a connection: the database is not away then. */
const timeouts = { ...commandTimeouts, connectMs: patience.timeout }

let template: Promise<string> | undefined

/** Databases on their way out: nobody waits for one until its test file has ended. */
const removals = new Set<Promise<void>>()

export const databasesRemoved = () => Promise.all(removals)

/** A private database for one test file, copied from a migrated template. */
export async function testDatabase(): Promise<TestDatabase> {
  const server = inject('postgresUrl')
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  template ??= ensureTemplate(admin, server)
  const name = `test_${randomBytes(6).toString('hex')}`
  // Where nothing is flushed to the disk, copying files costs a fifth of logging every page.
  await admin.query(`create database ${name} template ${await template} strategy file_copy`)

  const url = databaseUrl(server, name)
  const pooler = inject('poolerUrl')
  const database = pooler
    ? connect(databaseUrl(pooler, name), 10, { ...timeouts, isPooled: true })
    : connect(url, 10, timeouts)
  const direct = pooler ? connect(url, 2) : undefined
  const { raise, until } = createSignal()
  // A connection that is given back has done what it was taken for: its transaction is over.
  ;(database.pool as pg.Pool).on('release', raise)
  let listener: pg.Client | undefined
  const peekPool = new pg.Pool({ connectionString: url, max: 2 })
  peekPool.on('error', () => undefined)
  const peek = new Kysely<DB>({ dialect: new PostgresDialect({ pool: peekPool }) }) as FreeDb
  const countWaiting = async (text = '') => {
    const { rowCount } = await peekPool.query(
      `select from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and strpos(query, $1) > 0`,
      [text],
    )
    return rowCount ?? 0
  }
  return {
    ...database,
    ...{ url, peek, until, countWaiting },
    async untilWaiting(count = 1, text = '') {
      await vi.waitUntil(async () => (await countWaiting(text)) >= count, patience)
    },
    ...(direct ? { directDb: direct.db } : {}),
    async setClock(time) {
      await peekPool.query(`
        create or replace function outrider_now() returns timestamptz language sql stable as
          $$ select statement_timestamp() + interval '${time.getTime() - Date.now()} ms' $$`)
    },
    async stopClock(time) {
      await peekPool.query(`
        create or replace function outrider_now() returns timestamptz language sql stable as
          $$ select timestamptz '${time.toISOString()}' $$`)
    },
    async hear(table) {
      listener ??= await listenTo(url, raise)
      await listener.query(`
        create trigger heard after insert or update or delete on ${table} execute function tell()`)
    },
    async [Symbol.asyncDispose]() {
      const pools = [database.db, direct?.db, peek]
      await Promise.all([...pools.map((db) => db?.destroy()), listener?.end()])
      // PostgreSQL looks every 100 ms whether the last connection has ended.
      const removal = remove(admin, name).finally(() => removals.delete(removal))
      removals.add(removal)
    },
  }
}

async function remove(admin: pg.Client, name: string) {
  await admin.query(`drop database ${name} with (force)`)
  await admin.end()
}

async function listenTo(url: string, onNotify: () => void): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('notification', onNotify)
  await client.connect()
  await client.query(`
    listen told;
    create function tell() returns trigger language plpgsql as
      $$ begin notify told; return null; end $$`)
  return client
}

/**
 * Made once per server, schema and instant, under a lock: test files run side by side. It has the
 * partitions of that time, so that not every copy makes them anew.
 */
async function ensureTemplate(admin: pg.Client, server: string): Promise<string> {
  const now = testInstant()
  const name = `outrider_template_${schemaHash()}_${now.toISOString().slice(0, 10).replaceAll('-', '')}`
  await admin.query('select pg_advisory_lock(1)')
  const { rowCount } = await admin.query('select from pg_database where datname = $1', [name])
  if (!rowCount) {
    await admin.query(`drop database if exists ${name}_new`)
    await admin.query(`create database ${name}_new`)
    await migrate(databaseUrl(server, `${name}_new`))
    const { db } = connect(databaseUrl(server, `${name}_new`), 1)
    for (const table of partitionedTables) await createPartitions(db, table, now)
    await db.destroy()
    await admin.query(`alter database ${name}_new rename to ${name}`)
  }
  await admin.query('select pg_advisory_unlock(1)')
  return name
}

/** A long-lived server must not hand out a template of yesterday's migrations. */
function schemaHash(): string {
  const hash = createHash('sha256')
  for (const name of migrationNames()) {
    hash.update(readFileSync(new URL(`../migrations/${name}`, import.meta.url)))
  }
  return hash.digest('hex').slice(0, 12)
}

function databaseUrl(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
