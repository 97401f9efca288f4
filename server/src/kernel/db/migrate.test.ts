import pg from 'pg'
import { expect, test } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { patience } from '../../../test/patience.ts'
import { migrate } from './migrate.ts'

test('a migration that waits for a backup keeps nobody else waiting, and is applied after it', async () => {
  await using database = await testDatabase()
  await using backup = await open(database.url)
  await using request = await open(database.url)
  const name = '0122_starting_credits.sql'
  await request.query(`delete from migrations where name = '${name}'`)
  await request.query('alter table workspaces drop column starting_credits')
  await backup.query('begin; lock table workspaces in access share mode')
  let isOver = false
  const migrating = migrate(database.url).finally(() => {
    isOver = true
  })
  const waiting = `select from pg_locks where not granted and relation = 'workspaces'::regclass`
  await expect.poll(async () => (await request.query(waiting)).rowCount, patience).toBe(1)
  // Behind the migration, which gives up its place.
  await request.query('select id from workspaces')
  expect(isOver).toBe(false)
  await backup.query('commit')
  expect(await migrating).toEqual([name])
})

/** A plain connection: what is done here is no statement of the application. */
async function open(url: string) {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}
