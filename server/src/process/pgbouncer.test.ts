import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { startPgBouncer, whyNoPgBouncer } from '../../test/pgbouncer.ts'
import { makeDataDir, operatorJson, startService } from '../../test/processes.ts'

const modes = [
  ['transaction', 'off'],
  ['session', 'on'],
] as const

test.skipIf(whyNoPgBouncer).each(modes)(
  'behind PgBouncer in %s mode processes migrate, start one after the other, and serve',
  async (mode, DATABASE_PREPARED) => {
    await using database = await testDatabase()
    await database.pool.query('drop schema public cascade; create schema public')
    await using pooler = await startPgBouncer(database.url, mode)
    const settings = {
      DATABASE_URL: pooler.url,
      DATABASE_PREPARED,
      DATA_DIR: await makeDataDir(),
      OUTRIDER_SECRET_KEY: randomBytes(32).toString('base64'),
    }
    await using first = startService('api', settings)
    await first.address()
    // The server connection that migrated is still open, and would hold a lock of its session.
    await using second = startService('api', settings)
    await using runner = startService('runner', { ...settings, RUNNER_PORT: '0' })
    const { key } = await operatorJson(
      ['keys', 'create', '--name', 'ci', '--scopes', 'all:*'],
      settings,
    )
    for (const service of [first, second]) {
      const answer = await fetch(`${await service.address()}/oauth/service-accounts`, {
        headers: { authorization: `Bearer ${key}` },
      })
      expect(answer.status).toBe(200)
    }
    expect((await fetch(`${await runner.address()}/ready`)).status).toBe(200)
    for (const service of [first, second, runner]) {
      service.kill('SIGTERM')
      expect(await service.exited).toEqual({ code: 0, signal: null })
    }
  },
)
