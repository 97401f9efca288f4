import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { countMailboxes } from '../features/mailboxes/index.ts'
import { connect, type ProcessDb } from '../kernel/db/db.ts'
import { commandTimeouts } from '../kernel/db/timeouts.ts'
import type { Log } from '../kernel/log.ts'
import { startPostgres } from '../kernel/postgres/index.ts'
import { checkDatabase } from '../process/database.ts'

/** Where the sandbox lives while it lasts. Disposing leaves nothing behind. */
export interface SandboxSite extends AsyncDisposable {
  /** Holds the key, and the database unless that is on a server of the user's. */
  dataDir: string
  databaseUrl: string
  /** Of the server that was given; undefined: the database is embedded. */
  databaseName: string | undefined
}

/** What is named by whom; neither of them is ever written to. */
export interface NamedDatabases {
  /** A PostgreSQL to make the sandbox's database on. */
  given: string | undefined
  /** DATABASE_URL, which other commands go by. */
  configured: string | undefined
}

/** @throws when one of the databases has real mailboxes in it, or with what to do */
export async function makeSite(
  named: NamedDatabases,
  options: { log: Log; signal: AbortSignal },
): Promise<SandboxSite> {
  await using stack = new AsyncDisposableStack()
  await refuseReal(named)
  const dataDir = await mkdtemp(join(tmpdir(), 'outrider-sandbox-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 20 }))
  const { given } = named
  const databaseName = given && `outrider_sandbox_${randomBytes(6).toString('hex')}`
  const databaseUrl =
    given && databaseName
      ? await makeDatabase(stack, given, databaseName)
      : stack.use(await startPostgres({ dataDir, durable: false, ...options })).url
  const owned = stack.move()
  return {
    ...{ dataDir, databaseUrl, databaseName },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

async function refuseReal({ given, configured }: NamedDatabases) {
  if (given) await onDatabase(given, (db) => refuseMailboxes(db, given, '--database'))
  if (!configured) return
  // It is not used: if it cannot be reached, that is no trouble of the sandbox's.
  await onDatabase(configured, (db) => countMailboxes(db)).then(
    (counts) => {
      if (counts.length > 0) throw new Error(hasMailboxes('DATABASE_URL'))
    },
    () => undefined,
  )
}

async function refuseMailboxes(db: ProcessDb, url: string, name: string) {
  await checkDatabase(db, url)
  const counts = await countMailboxes(db).catch((error: { code?: string }) => {
    if (error.code === undefinedTable) return []
    throw error
  })
  if (counts.length > 0) throw new Error(hasMailboxes(name))
}

const undefinedTable = '42P01'

const hasMailboxes = (name: string) =>
  `${name} names a database with mailboxes in it, and the sandbox keeps away from real ones: ${
    name === 'DATABASE_URL' ? 'unset it for this command' : 'name another PostgreSQL'
  }. Without either, the sandbox brings a database of its own.`

async function makeDatabase(stack: AsyncDisposableStack, given: string, name: string) {
  await onDatabase(given, (db) => sql`create database ${sql.table(name)}`.execute(db))
  stack.defer(async () => {
    await onDatabase(given, (db) => sql`drop database ${sql.table(name)} with (force)`.execute(db))
  })
  const url = new URL(given)
  url.pathname = `/${name}`
  return String(url)
}

async function onDatabase<T>(url: string, work: (db: ProcessDb) => Promise<T>): Promise<T> {
  // Nothing says whether a pooler stands before it.
  const { db } = connect(url, 1, { ...commandTimeouts, isPooled: true })
  try {
    return await work(db)
  } finally {
    await db.destroy()
  }
}
