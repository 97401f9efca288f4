import pg from 'pg'
import { expect, test } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
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
  await database.untilWaiting(1, 'workspaces')
  // Behind the migration, which gives up its place.
  await request.query('select id from workspaces')
  expect(isOver).toBe(false)
  await backup.query('commit')
  expect(await migrating).toEqual([name])
})

test('a migration and a process that wait for each other both come to their end', async () => {
  await using database = await testDatabase()
  await using request = await open(database.url)
  const name = '0150_leads_held_back.sql'
  await request.query(`delete from migrations where name = '${name}'`)
  await request.query('drop index leads_held_back, leads_lacking')
  // It is the migration that PostgreSQL ends.
  await request.query(`begin; set local deadlock_timeout = '1h'`)
  await request.query('lock table leads in row exclusive mode')
  const migrating = migrate(database.url)
  await database.untilWaiting(1, 'leads')
  await request.query('lock table lead_jobs in row exclusive mode')
  await request.query('commit')
  expect(await migrating).toEqual([name])
})

/** A plain connection: what is done here is no statement of the application. */
async function open(url: string) {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}
