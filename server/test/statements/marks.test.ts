import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from 'vitest'

const source = new URL('../../src/', import.meta.url)
const files = globSync('**/*.ts', { cwd: source }).map((path) => ({
  path: path.replaceAll('\\', '/'),
  text: readFileSync(new URL(path, source), 'utf8'),
}))

// Other spellings of the marks give no leave, so a file that holds one has mistyped it.
const filesWith = (mark: RegExp) => files.filter(({ text }) => mark.test(text))

/** They read or write rows of many workspaces at once, as lanes need it. */
const batchFiles = new Set([
  'features/daily-counts/queries.ts',
  'features/deliveries/settle-queries.ts',
  'features/leads/following/postpone-queries.ts',
  'features/mailbox-lanes/owned-lane-queries.ts',
  'features/messages/batch-queries.ts',
  'features/sending/next-mail/campaign-queries.ts',
  'features/sending/claim/claim-queries.ts',
  'features/sending/lanes/lane-queries.ts',
  'features/sending/restore-guard/failover-queries.ts',
  'features/sending/transmit/mark-queries.ts',
  'features/sending/settle/settle-queries.ts',
  'features/sending/next-mail/backlog-queries.ts',
])

test('only files of batches take workspaces from a list', () => {
  const others = filesWith(/\/\*\s*batch\b/i).filter(
    ({ path }) => !batchFiles.has(path) && !path.endsWith('.test.ts'),
  )
  expect(others.map(({ path }) => path)).toEqual([])
})

test('statements over all workspaces are in files of that name', () => {
  const others = filesWith(/\/\*\s*cross-workspace\b/i).filter(
    ({ path }) => basename(path) !== 'cross-workspace.ts',
  )
  expect(others.map(({ path }) => path)).toEqual([])
})

/** They go around the pooler, or do without it: each has its session for itself. */
const ofOneSession = new Set(['features/directory/import/queries.ts', 'kernel/db/timeouts.ts'])

test('only what has a session of its own leaves something in it', () => {
  const others = filesWith(/\/\*\s*session\b/i).filter(
    ({ path }) => !ofOneSession.has(path) && !path.endsWith('.test.ts'),
  )
  expect(others.map(({ path }) => path)).toEqual([])
})

/** Who the installation is, its schema, its users and its directory: no workspace has a part in them. */
const ofInstallation = new Set([
  'features/directory/queries.ts',
  'features/users/queries.ts',
  'kernel/db/instance.ts',
  'kernel/db/migration-gap.ts',
])

test('only what belongs to no workspace is locked by a fixed name', () => {
  const others = filesWith(/\/\*\s*installation\b/i).filter(({ path }) => !ofInstallation.has(path))
  expect(others.map(({ path }) => path)).toEqual([])
})

test('the source was looked at', () => {
  expect(files.length).toBeGreaterThan(10)
})
