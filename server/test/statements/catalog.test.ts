import pg from 'pg'
import { expect, test } from 'vitest'
import { testDatabase } from '../database.ts'
import { readCatalog, storeOf } from './catalog.ts'

test('tables are told apart by their keys, and partitions belong to their table', async () => {
  await using database = await testDatabase()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const catalog = await readCatalog(client)
  await client.end()

  const stores = ['leads', 'events', 'events_20260105', 'webhook_event_counts'].map((table) =>
    storeOf(catalog, table),
  )
  expect(new Set(stores)).toEqual(new Set(['tenant']))
  expect(catalog.referenceTables).toContain('workspaces')
  expect(catalog.referenceTables).toContain('key_hashes')
  expect([...catalog.localTables]).toEqual(
    expect.arrayContaining(['bucket_leases', 'instance', 'migrations', 'runners']),
  )
  expect(catalog.localTables).not.toContain('leads')
  expect(storeOf(catalog, 'pg_class')).toBe('system')
  expect(storeOf(catalog, 'no_such_table')).toBe('unknown')
})
