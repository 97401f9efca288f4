import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { testContext } from '../../test/context.ts'
import { openSecrets } from './secret-key.ts'

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)]

test('the first start makes a key that only its owner can read, and the next ones use it', async () => {
  await using ctx = await testContext()
  const config = { secretKey: undefined, dataDir: join(await makeDataDir(), 'data') }
  const first = await openSecrets(ctx.db, { ...ctx, config })
  expect((await stat(join(config.dataDir, 'secret.key'))).mode & 0o777).toBe(0o600)
  const second = await openSecrets(ctx.db, { ...ctx, config })
  expect(second.open(first.seal('x', 'test'), 'test')).toBe('x')
})

test('of several first starts at once all have the same key', async () => {
  await using ctx = await testContext()
  const config = { secretKey: undefined, dataDir: await makeDataDir() }
  const starts = [1, 2, 3, 4].map(() => openSecrets(ctx.db, { ...ctx, config }))
  const keyIds = (await Promise.all(starts)).map((secrets) => secrets.keyId)
  expect(new Set(keyIds).size).toBe(1)
})

test('a database whose key file is gone is refused, and no other key is made', async () => {
  await using ctx = await testContext()
  const config = { secretKey: undefined, dataDir: await makeDataDir() }
  await openSecrets(ctx.db, { ...ctx, config })
  await rm(join(config.dataDir, 'secret.key'))
  await expect(openSecrets(ctx.db, { ...ctx, config })).rejects.toThrow(/restore that file/)
  await expect(readFile(join(config.dataDir, 'secret.key'))).rejects.toThrow('ENOENT')
})

test('a process with another key is refused before it seals anything', async () => {
  await using ctx = await testContext()
  await openSecrets(ctx.db, withKeys(ctx, oldKey))
  await expect(openSecrets(ctx.db, withKeys(ctx, newKey))).rejects.toThrow(
    /sealed with key [0-9a-f]{8}, but the key here is [0-9a-f]{8}/,
  )
})

test('a key is rotated by putting a new one in front', async () => {
  await using ctx = await testContext()
  const before = await openSecrets(ctx.db, withKeys(ctx, oldKey))
  const sealed = before.seal('x', 'test')
  const rotated = await openSecrets(ctx.db, withKeys(ctx, newKey, oldKey))
  expect(rotated.open(sealed, 'test')).toBe('x')
  await expect(openSecrets(ctx.db, withKeys(ctx, oldKey))).rejects.toThrow('sealed with key')
})

test.each([
  ['too short', randomBytes(31).toString('base64')],
  ['not base64', `${'*'.repeat(43)}=`],
  ['an empty one of several', `${oldKey.toString('base64')},`],
])('a key that is %s is refused and not shown', async (_fault, secretKey) => {
  await using ctx = await testContext()
  const opening = openSecrets(ctx.db, { ...ctx, config: { secretKey, dataDir: '/nowhere' } })
  await expect(opening).rejects.toThrow(/^OUTRIDER_SECRET_KEY must be 32 bytes in base64/)
  await expect(opening).rejects.not.toThrow(secretKey)
})

test('a key file that cannot be read is not taken for a missing one', async () => {
  await using ctx = await testContext()
  const config = { secretKey: undefined, dataDir: '/proc/self/cmdline' }
  await expect(openSecrets(ctx.db, { ...ctx, config })).rejects.toThrow('ENOTDIR')
})

const withKeys = (ctx: Parameters<typeof openSecrets>[1], ...keys: Buffer[]) => ({
  now: ctx.now,
  newId: ctx.newId,
  config: { secretKey: keys.map((key) => key.toString('base64')).join(), dataDir: '/nowhere' },
})

async function makeDataDir() {
  const dataDir = await mkdtemp(join(tmpdir(), 'outrider-test-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true, maxRetries: 20 }))
  return dataDir
}
