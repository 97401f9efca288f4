import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type RawBuilder, sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { testContext } from '../../test/context.ts'
import { testDatabase } from '../../test/database.ts'
import { patience } from '../../test/patience.ts'
import { makeDataDir, makeDataDirWithDatabase } from '../../test/processes.ts'
import { readConfig } from '../config.ts'
import { keepListener } from '../features/kept-settings/index.ts'
import { isSetUp } from '../features/users/index.ts'
import { connect } from '../kernel/db/db.ts'
import { migrationNames } from '../kernel/db/migrate.ts'
import { readMigrationGap } from '../kernel/db/migration-gap.ts'
import { withSession } from '../kernel/db/session.ts'
import { startPostgres } from '../kernel/postgres/index.ts'
import { explainFailure } from './failure.ts'
import { openDatabase, openOperator, openServer } from './open.ts'

const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn(), fatal: vi.fn() }

test('a start whose own PostgreSQL dies under it goes on once it is back', async () => {
  const config = readConfig({ DATA_DIR: await makeDataDirWithDatabase() })
  const { dataDir } = config
  await using postgres = await startPostgres({ dataDir, log })
  const pidFile = await readFile(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8')
  process.kill(Number.parseInt(pidFile, 10), 'SIGKILL')
  await using opened = await openServer(config, { log, postgres: Promise.resolve(postgres) })
  expect(await isSetUp(opened.ctx)).toBe(false)
  const lost = 'the database was lost at the start, opening it again'
  expect(log.warn.mock.calls.map(([, message]) => message)).toContain(lost)
})

test('a command beside a service whose PostgreSQL is still recovering waits for it', async () => {
  const config = readConfig({ DATA_DIR: await makeDataDirWithDatabase() })
  const { dataDir } = config
  await (await startPostgres({ dataDir, log })).stop()
  const data = join(dataDir, 'postgres/data')
  const recoverUntilGate = `hot_standby = off
    restore_command = 'while [ ! -e gate ]; do sleep 0.05; done; false'`
  await appendFile(join(data, 'postgresql.conf'), recoverUntilGate.replace(/^ +/gm, ''))
  await writeFile(join(data, 'recovery.signal'), '')
  const starting = startPostgres({ dataDir, log })
  await vi.waitFor(() => readFile(join(data, 'postmaster.pid')), patience)
  const waiting = Promise.withResolvers<void>()
  const warn = (_fields: object, message?: string) => {
    if (message === 'waiting for a PostgreSQL that is starting or stopping') waiting.resolve()
  }
  const opening = openDatabase(config, { log: { ...log, warn } })
  await waiting.promise
  await writeFile(join(data, 'gate'), '')
  await using postgres = await starting
  await using database = await opening
  expect(database).toMatchObject({ url: postgres.url, isOurs: false })
})

test('a command goes by what processes of the service were told', async () => {
  await using ctx = await testContext()
  await keepListener(ctx, 'http://127.0.0.1:4000')
  const DATA_DIR = await makeDataDir()
  const config = readConfig({ DATABASE_URL: ctx.database.url, DATA_DIR })
  await using opened = await openOperator(config, { log })
  expect([...opened.ctx.keptSettings]).toEqual([['listener', 'http://127.0.0.1:4000']])
})

test('a command leaves the embedded database of an older version as it is, and says what migrates it', async () => {
  const config = readConfig({ DATA_DIR: await makeDataDirWithDatabase() })
  const names = async (change?: RawBuilder<unknown>) => {
    await using postgres = await startPostgres({ dataDir: config.dataDir, log })
    const { db } = connect(postgres.url, 1)
    await change?.execute(db)
    const { missing } = await readMigrationGap(db)
    await db.destroy()
    return missing
  }
  const last = migrationNames().at(-1) ?? ''
  expect(await names(sql`delete from migrations where name = ${last}`)).toEqual([last])
  // Whoever holds what was put back must not be told to start it first.
  await expect(openOperator(config, { log })).rejects.toThrow(
    /^The database is not migrated to this version: .* run "npx outrider migrate", then this again, and start nothing before\.$/,
  )
  expect(await names()).toEqual([last])
  expect(await readdir(config.dataDir)).not.toContain('backups')
})

test('a command can move a workspace, however few connections a process may have', async () => {
  await using database = await testDatabase()
  const config = readConfig({
    ...{ DATABASE_URL: database.url, DATABASE_CONNECTIONS: '2', DATA_DIR: await makeDataDir() },
  })
  await using opened = await openOperator(config, { log })
  const { db } = opened.ctx
  const three = () => withSession(db, () => withSession(db, async () => 'three'))
  expect(await withSession(db, three)).toBe('three')
})

test('a postgresql.conf that PostgreSQL does not take is told in one sentence', async () => {
  const config = readConfig({ DATA_DIR: await makeDataDirWithDatabase() })
  const { dataDir } = config
  await (await startPostgres({ dataDir, log })).stop()
  const file = join(dataDir, 'postgres/data/postgresql.conf')
  await appendFile(file, 'no_such_setting = 1\n')
  const failure = await openDatabase(config, { log }).catch((error: unknown) => error)
  const text = explainFailure(failure)
  expect(text).toContain(`DATA_DIR ${dataDir}`)
  expect(text).toContain(`configuration file "${file}" contains errors`)
  expect(text.split('\n')).toHaveLength(1)
})
