import { expect, test } from 'vitest'
import { testApi } from '../../test/app.ts'
import { makeDataDir } from '../../test/processes.ts'
import { watchHealth } from './watch-health.ts'

test.runIf(process.platform === 'linux')(
  '/ready says no, and why, while the disk of DATA_DIR is full',
  async () => {
    await using api = await testApi()
    api.ctx.troubles = new Map()
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
