import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { pageSizes } from '../../scripts/page-sizes.ts'

const dist = fileURLToPath(new URL('../../server/application', import.meta.url))

test('a first visit loads at most 250 kB of script in at most 40 files, whatever the page', () => {
  const sizes = pageSizes(dist)
  expect(sizes.length).toBeGreaterThan(2)
  expect(sizes.filter(({ bytes, files }) => bytes > 250_000 || files > 40)).toEqual([])
})
