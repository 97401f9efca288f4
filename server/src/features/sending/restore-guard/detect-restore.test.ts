import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { detectRestore, isFailover } from './detect-restore.ts'
import type { SendingInstance } from './hold-queries.ts'
import { type LastSeen, markerFile } from './marker-file.ts'

const instance: SendingInstance = {
  id: 'i',
  sending_identity: '7.1.16400',
  current_identity: '7.1.16400',
  sending_epoch: 10,
  sending_held_since: null,
  ...{ sending_held_reason: null, sending_held_by_operator: false },
  ...{ failover_from: null, failover_identity: null, failover_epoch: null, failover_ms: null },
}
const seen: LastSeen = { id: 'i', epoch: 10, isCopy: false }

test.each<[string, Partial<SendingInstance>, Partial<LastSeen> | null, boolean, string | null]>([
  ['nothing was sent yet', { sending_identity: null }, null, true, null],
  [
    'it forgot that it was sent from',
    { sending_identity: null, sending_epoch: 0 },
    {},
    false,
    'database_went_back',
  ],
  ['nothing has changed', {}, {}, true, null],
  ['another cluster', { current_identity: '8.1.16400' }, {}, true, 'another_database'],
  ['another timeline', { current_identity: '7.2.16400' }, {}, false, 'another_database'],
  ['a dump was restored', { current_identity: '7.1.17000' }, null, false, 'another_database'],
  ['the database is older than the file', {}, { epoch: 11 }, true, 'database_went_back'],
  ['also one by DATABASE_URL', {}, { epoch: 11 }, false, 'database_went_back'],
  ['the file is older than the database', {}, { epoch: 9 }, true, null],
  ['the file is of another instance', {}, { id: 'j', epoch: 99 }, false, null],
  ['a machine that is new to the database', {}, null, false, null],
  ['its own database without its file', {}, null, true, 'data_is_incomplete'],
  ['its own database beside a foreign file', {}, { id: 'j' }, true, 'data_is_incomplete'],
  ['a copy of DATA_DIR', {}, { isCopy: true }, true, 'data_was_copied'],
  ['a copied DATA_DIR that holds no database', {}, { isCopy: true }, false, null],
])('%s', (_what, stored, lastSeen, ownsDatabase, reason) => {
  const marker = { ownsDatabase, lastSeen: lastSeen ? { ...seen, ...lastSeen } : undefined }
  expect(detectRestore({ ...instance, ...stored }, marker)).toBe(reason)
})

test.each([
  ['a later timeline', '7.00000002.16400', true],
  ['one that has two more digits', '7.0000000A.16400', true],
  ['the same', '7.00000001.16400', false],
  ['a timeline that went back', '7.00000000.16400', false],
  ['another cluster', '8.00000002.16400', false],
  ['a table that a dump made anew', '7.00000002.17000', false],
  ['a role that may not ask for the cluster', '-.00000002.16400', false],
  ['a role that may not ask for the timeline', '7.-.16400', false],
])('a standby took over: %s', (_what, after, isSo) => {
  expect(isFailover('7.00000001.16400', after)).toBe(isSo)
})

test('what names no cluster took over from nobody', () => {
  expect(isFailover('-.00000001.16400', '-.00000002.16400')).toBe(false)
})

async function folder() {
  const path = await mkdtemp(join(tmpdir(), 'outrider-marker-'))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

test('the file knows itself again however often it is written, and its copy is another one', async () => {
  const [home, elsewhere] = [await folder(), await folder()]
  const marker = markerFile(home, true)
  expect(await marker.recall()).toBeUndefined()
  for (const epoch of [1, 2, 1000]) {
    await marker.note({ id: 'i', epoch })
    expect(await marker.recall()).toEqual({ id: 'i', epoch, isCopy: false })
  }
  await cp(join(home, 'sending'), join(elsewhere, 'sending'), { preserveTimestamps: true })
  const copied = markerFile(elsewhere, true)
  expect(await copied.recall()).toEqual({ id: 'i', epoch: 1000, isCopy: true })
  await copied.note({ id: 'i', epoch: 1001 })
  expect(await copied.recall()).toEqual({ id: 'i', epoch: 1001, isCopy: false })
})

test('a file that was put back in its place is another one, too', async () => {
  const home = await folder()
  const path = join(home, 'sending')
  const marker = markerFile(home, true)
  await marker.note({ id: 'i', epoch: 1 })
  await writeFile(`${path}.restored`, await readFile(path))
  await rename(`${path}.restored`, path)
  expect(await marker.recall()).toMatchObject({ isCopy: true })
})
