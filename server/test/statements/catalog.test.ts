import { expect, test } from 'vitest'
import { storeOf } from './catalog.ts'
import { testCatalog } from './test-catalog.ts'

test('tables are told apart by their keys, and partitions belong to their table', async () => {
  const catalog = await testCatalog()
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
