import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { makeDataDir } from '../../test/processes.ts'
import { readConfig } from '../config.ts'
import { isSetUp } from '../features/users/index.ts'
import { startPostgres } from '../kernel/postgres/index.ts'
import { openServer } from './open.ts'

const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn(), fatal: vi.fn() }

test('a start whose own PostgreSQL dies under it goes on once it is back', async () => {
  const config = readConfig({ DATA_DIR: await makeDataDir() })
  const { dataDir } = config
  await using postgres = await startPostgres({ dataDir, log })
  const pidFile = await readFile(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8')
  process.kill(Number.parseInt(pidFile, 10), 'SIGKILL')
  await using opened = await openServer(config, { log, postgres: Promise.resolve(postgres) })
  expect(await isSetUp(opened.ctx)).toBe(false)
  const lost = 'the database was lost at the start, opening it again'
  expect(log.warn.mock.calls.map(([, message]) => message)).toContain(lost)
})
