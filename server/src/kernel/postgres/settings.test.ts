import { expect, test } from 'vitest'
import { serverSettings } from './settings.ts'

const gigabyte = 1024 ** 3

test.each([
  [1 * gigabyte, '256MB'],
  [10 * gigabyte, '512MB'],
  [40 * gigabyte, '2048MB'],
  [1000 * gigabyte, '2048MB'],
])('on a disk of %i bytes the WAL may grow to %s', (diskBytes, size) => {
  expect(serverSettings(5432, true, diskBytes)).toContain(`max_wal_size=${size}`)
})

test.each([
  [1 * gigabyte, '1024MB'],
  [40 * gigabyte, '8192MB'],
  [1000 * gigabyte, '65536MB'],
])('on a disk of %i bytes a replication slot keeps WAL up to %s', (diskBytes, size) => {
  expect(serverSettings(5432, true, diskBytes)).toContain(`max_slot_wal_keep_size=${size}`)
})
