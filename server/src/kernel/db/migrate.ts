import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'

const folder = new URL('../../../migrations/', import.meta.url)

/**
 * Applies what is missing, each file in its own transaction, under one advisory lock so that
 * several processes may start at once. Forward only.
 *
 * @returns the names applied now
 * @throws when the database was migrated by a newer version than this one
 */
export async function migrate(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'outrider migrate' })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [lockKey])
    await client.query(
      'create table if not exists migrations (name text primary key, timestamp_applied timestamptz not null)',
    )
    const applied = new Set(await appliedNames(client))
    const unknown = [...applied].filter((name) => !migrationNames().includes(name))
    if (unknown.length > 0) {
      throw new Error(
        `The database is newer than this version (it has ${unknown.join(', ')}): update Outrider.`,
      )
    }
    const missing = migrationNames().filter((name) => !applied.has(name))
    for (const name of missing) await apply(client, name)
    return missing
  } finally {
    await client.end()
  }
}

/** The migrations of this version, in order. */
export const migrationNames = () =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()

async function apply(client: pg.Client, name: string) {
  await client.query('begin')
  await client.query(readFileSync(new URL(name, folder), 'utf8'))
  await client.query('insert into migrations values ($1, statement_timestamp())', [name])
  await client.query('commit')
}

async function appliedNames(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('select name from migrations')
  return rows.map((row) => row.name)
}

const lockKey = 7_166_821
