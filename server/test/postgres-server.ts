import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from '../src/kernel/postgres/index.ts'
import { quickDirectory } from './quick-directory.ts'

export interface PostgresServer extends AsyncDisposable {
  /** Of the database `postgres`, for a user who may create databases. */
  url: string
}

/**
 * The PostgreSQL that tests and checks run on: the one that TEST_DATABASE_URL names, else an
 * embedded one of its own in a temporary directory.
 */
export async function startPostgresServer(): Promise<PostgresServer> {
  const outside = process.env.TEST_DATABASE_URL
  if (outside) {
    await checkVersion(outside)
    return { url: outside, [Symbol.asyncDispose]: async () => undefined }
  }
  const dataDir = await mkdtemp(join(await quickDirectory(), 'outrider-test-'))
  const remove = () => rm(dataDir, { recursive: true, force: true, maxRetries: 20 })
  const log = { info: () => undefined, warn: console.warn, error: console.error }
  const server = await startPostgres({ dataDir, log, durable: false }).catch(async (error) => {
    await remove()
    throw error
  })
  const url = new URL(server.url)
  url.pathname = '/postgres'
  await makeLoginsCheap(url)
  return {
    url: String(url),
    async [Symbol.asyncDispose]() {
      await server.stop()
      await remove()
    },
  }
}

/** A password is hashed 4,096 times for each login, by both sides; here there are thousands of logins. */
async function makeLoginsCheap(url: URL) {
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  await client.query(
    `set scram_iterations = 1; alter role ${url.username} password '${decodeURIComponent(url.password)}'`,
  )
  await client.end()
}

async function checkVersion(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(
    `select current_setting('server_version_num')::int as version`,
  )
  await client.end()
  if (rows[0].version < 150_000) {
    throw new Error('TEST_DATABASE_URL must name a PostgreSQL 15 or later.')
  }
}
