import { symlink, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { testApi } from '../../test/app.ts'
import { asService, testContext } from '../../test/context.ts'
import { patience } from '../../test/patience.ts'
import { makeDataDir } from '../../test/processes.ts'
import { createSignal } from '../../test/signal.ts'
import { captureStatements } from '../kernel/db/client.ts'
import { Troubles } from '../kernel/troubles.ts'
import { watchHealth } from './watch-health.ts'

test.runIf(process.platform === 'linux')(
  '/ready says no, and why, while the disk of DATA_DIR is full',
  async () => {
    await using api = await testApi()
    api.ctx.troubles = new Troubles(api.ctx)
    const ready = () => api.call('GET', '/ready', { key: null })
    {
      // A file system without a free block.
      await using _health = await watchHealth(api.ctx, '/proc')
      expect(await ready()).toMatchObject({
        ...{ status: 503, headers: { 'retry-after': '1' } },
        body: { code: 'unavailable', message: expect.stringContaining('/proc is full: make room') },
      })
    }
    await using _health = await watchHealth(api.ctx, await makeDataDir())
    expect((await ready()).status).toBe(200)
  },
)

test.runIf(process.platform === 'linux')(
  '/ready names a full disk beside the database that it has ended',
  async () => {
    await using api = await testApi()
    api.ctx.troubles = new Troubles(api.ctx)
    const dataDir = join(await makeDataDir(), 'data')
    await symlink(await makeDataDir(), dataDir)
    const looking = createSignal()
    let isEnded = false
    const hurried = {
      ...asService(api.ctx),
      async sleep() {
        await looking.until(() => isEnded)
        await new Promise((resolve) => setImmediate(resolve))
      },
    }
    await using _health = await watchHealth(hurried, dataDir)
    await api.ctx.db.destroy()
    await unlink(dataDir)
    await symlink('/proc', dataDir)
    isEnded = true
    looking.raise()
    const message = async () => (await api.call('GET', '/ready', { key: null })).body.message
    await expect.poll(message, patience).toContain('full: make room')
    expect(await message()).toContain('The database is not reachable')
  },
)

test('what is sealed is read once an hour, and not at each look', async () => {
  await using ctx = await testContext()
  let reads = 0
  captureStatements((text) => {
    if (text.includes('from "webhooks"')) reads += 1
  })
  onTestFinished(() => captureStatements(undefined))
  let nowMs = 0
  let looks = 0
  const looked = Promise.withResolvers<void>()
  const hurried = {
    ...asService(ctx),
    monotonicMs: () => nowMs,
    async sleep() {
      looks += 1
      nowMs += 15_000
      if (nowMs > 3_600_000) looked.resolve()
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
  const health = await watchHealth(hurried, undefined)
  const first = reads
  await looked.promise
  await health[Symbol.asyncDispose]()
  expect(first).toBeGreaterThan(0)
  expect(looks).toBeGreaterThan(200)
  expect(reads).toBeLessThanOrEqual(2 * first)
})
