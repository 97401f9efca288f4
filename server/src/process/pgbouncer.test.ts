import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { runWith } from '../../test/commands.ts'
import { type TestDatabase, testDatabase } from '../../test/database.ts'
import { startPgBouncer, whyNoPgBouncer, whyNoPreparedNames } from '../../test/pgbouncer.ts'
import { makeDataDir, operatorJson, runOperator, startService } from '../../test/processes.ts'
import { silentLog } from '../../test/sharded.ts'
import { readConfig } from '../config.ts'
import { makeSite } from '../demo/database.ts'
import { findPooler } from '../kernel/db/pooler.ts'
import { examinePooler } from './pooler.ts'

const noNames = 'max_prepared_statements = 0'

test.skipIf(whyNoPgBouncer).each(waysToWork())(
  'through PgBouncer in %s processes migrate, start one after the other, and serve',
  async (_way, poolerSettings, ownSettings) => {
    await using database = await testDatabase()
    await database.pool.query('drop schema public cascade; create schema public')
    await using pooler = await startPgBouncer(database.url, poolerSettings)
    const settings = {
      DATABASE_URL: pooler.url,
      DATA_DIR: await makeDataDir(),
      OUTRIDER_SECRET_KEY: randomBytes(32).toString('base64'),
      ...ownSettings(database),
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
    const { stdout } = await runOperator(['doctor', '--json'], settings)
    expect(JSON.parse(stdout).checks).toContainEqual(
      expect.objectContaining({ check: 'pooler', status: 'ok' }),
    )
    for (const service of [first, second, runner]) {
      service.kill('SIGTERM')
      expect(await service.exited).toEqual({ code: 0, signal: null })
    }
  },
)

test.skipIf(whyNoPgBouncer)(
  'a command leaves the connections of a pooler with the time-outs that they had',
  async () => {
    await using database = await testDatabase()
    await using second = await testDatabase()
    const unprepared = `${whyNoPreparedNames ? '' : noNames}\ndefault_pool_size = 3`
    await using pooler = await startPgBouncer(database.url, unprepared)
    const shardUrl = pooler.url.replace(/[^/]+$/, new URL(second.url).pathname.slice(1))
    const settings = {
      ...{ DATABASE_URL: pooler.url, DATABASE_SHARDS: `b=${shardUrl}`, DATABASE_PREPARED: 'off' },
      DATA_DIR: await makeDataDir(),
      OUTRIDER_SECRET_KEY: randomBytes(32).toString('base64'),
    }
    const named = { given: database.url, configured: pooler.url }
    const { signal } = new AbortController()
    const commands = [
      async () => expect(await runWith(settings, 'migrate', '--shards')).toMatchObject({ code: 0 }),
      () => runWith(settings, 'doctor'),
      // What `outrider demo` begins with: it looks whether the service has mailboxes.
      async () => (await makeSite(named, { log: silentLog, signal }))[Symbol.asyncDispose](),
    ]
    for (const run of commands) {
      await run()
      const timeouts = [...(await timeoutsOf(pooler.url, 3)), ...(await timeoutsOf(shardUrl, 3))]
      // By connect_query.
      expect(timeouts).toEqual(Array(6).fill('1min'))
    }
  },
)

test.skipIf(whyNoPgBouncer)(
  'a command that needs its session names the way around a pooler that shares it, and takes it',
  async () => {
    await using database = await testDatabase()
    await using second = await testDatabase()
    await using pooler = await startPgBouncer(database.url, whyNoPreparedNames ? '' : noNames)
    const settings = {
      ...{ DATABASE_URL: pooler.url, DATABASE_PREPARED: 'off', DATA_DIR: await makeDataDir() },
      OUTRIDER_SECRET_KEY: randomBytes(32).toString('base64'),
    }
    const file = join(settings.DATA_DIR, 'contacts.csv')
    await writeFile(file, 'email,first_name\nada@engines.example,Ada\n')
    const commands = [['import', file], ['reindex'], ['sample']]
    for (const command of commands) {
      const { code, stderr } = await runWith(settings, 'directory', ...command)
      expect(stderr).toContain('set DATABASE_DIRECT_URL to the PostgreSQL behind it')
      expect(code).toBe(1)
    }
    const direct = { ...settings, DATABASE_DIRECT_URL: database.url }
    for (const command of commands)
      expect(await runWith(direct, 'directory', ...command)).toMatchObject({ code: 0 })

    const behind = pooler.url.replace(/[^/]+$/, new URL(second.url).pathname.slice(1))
    const shards = { ...direct, DATABASE_SHARDS: `b=${behind}` }
    expect(await runWith(shards, 'migrate', '--shards')).toMatchObject({ code: 0 })
    const { stderr } = await runWith(shards, 'directory', 'reindex')
    expect(stderr).toContain('set DATABASE_DIRECT_SHARDS (b) to the PostgreSQL behind it')
  },
)

/** Of all connections of the pooler, which transactions keep apart. */
async function timeoutsOf(url: string, connections: number) {
  const clients = Array.from({ length: connections }, () => new pg.Client(url))
  try {
    const asked = clients.map(async (client) => {
      await client.connect()
      await client.query('begin')
      return client.query("select current_setting('statement_timeout') as timeout")
    })
    return (await Promise.all(asked)).map(({ rows }) => rows[0].timeout)
  } finally {
    await Promise.all(clients.map((client) => client.end()))
  }
}

test.skipIf(whyNoPgBouncer)(
  'processes that start at the same time behind PgBouncer find out about it one like the other',
  async () => {
    await using database = await testDatabase()
    await using pooler = await startPgBouncer(database.url, whyNoPreparedNames ? '' : noNames)
    const unprepared = { mode: 'transaction', keepsPrepared: false }
    for (let round = 0; round < 5; round++) {
      const found = await Promise.all([1, 2, 3].map(() => findPooler(pooler.url)))
      expect(found).toEqual([unprepared, unprepared, unprepared])
    }
  },
)

type OwnSettings = (database: TestDatabase) => Record<string, string>

function waysToWork(): [string, string, OwnSettings][] {
  const transaction: [string, string, OwnSettings][] = [
    [
      'transaction mode, with a direct way',
      'max_prepared_statements = 200',
      ({ url }) => ({ DATABASE_DIRECT_URL: url }),
    ],
  ]
  return [
    // A client keeps its connection: three processes and a command need more than twenty of them.
    ['session mode', 'pool_mode = session\ndefault_pool_size = 60', () => ({})],
    ['transaction mode, without prepared names', '', () => ({ DATABASE_PREPARED: 'off' })],
    ...(whyNoPreparedNames ? [] : transaction),
  ]
}

test('two ways to a server that tells nobody its timeline lead to the same one', async () => {
  await using database = await testDatabase()
  await using other = await testDatabase()
  const name = new URL(database.url).pathname.slice(1)
  // In the way of the function of the same name, as Amazon Aurora answers.
  await database.pool.query(`
    create function pg_walfile_name(pg_lsn) returns text language plpgsql as $$
    begin raise 'WAL control functions cannot be executed' using errcode = '55000'; end $$;
    alter database "${name}" set search_path = public, pg_catalog`)
  const { url } = database
  const judge = async (DATABASE_DIRECT_URL: string) =>
    (await examinePooler(readConfig({ DATABASE_URL: url, DATABASE_DIRECT_URL }), url)).trouble
  expect(await judge(url)).toBeUndefined()
  expect(await judge(other.url)).toMatch(/different databases/)
})

test('no database is migrated whose two ways lead to different ones, nor such a shard', async () => {
  await using database = await testDatabase()
  await using other = await testDatabase()
  await using empty = await testDatabase()
  await empty.pool.query('drop schema public cascade; create schema public')
  const settings = {
    ...{ DATABASE_URL: database.url, DATA_DIR: await makeDataDir() },
    OUTRIDER_SECRET_KEY: randomBytes(32).toString('base64'),
  }
  const first = await runWith({ ...settings, DATABASE_DIRECT_URL: empty.url }, 'migrate')
  expect(first.stderr).toContain('DATABASE_URL and DATABASE_DIRECT_URL lead to different databases')
  const shards = {
    DATABASE_SHARDS: `b=${other.url}`,
    DATABASE_DIRECT_SHARDS: `b=${empty.url}`,
  }
  const further = await runWith({ ...settings, ...shards }, 'migrate', '--shards')
  expect(further.stderr).toContain(
    'DATABASE_SHARDS (b) and DATABASE_DIRECT_SHARDS (b) lead to different databases',
  )
  const { rows } = await empty.pool.query("select from pg_tables where schemaname = 'public'")
  expect(rows).toEqual([])
})

describe.skipIf(whyNoPgBouncer)('what cannot work is refused with what to do', () => {
  test('each by a sentence of its own', async () => {
    await using database = await testDatabase()
    await using other = await testDatabase()
    await using pooler = await startPgBouncer(database.url, whyNoPreparedNames ? '' : noNames)
    await using byStatement = await startPgBouncer(database.url, 'pool_mode = statement')
    await using bySession = await startPgBouncer(database.url, 'pool_mode = session')
    const { url } = database
    const judge = async (settings: Record<string, string>) => {
      const config = readConfig(settings)
      return (await examinePooler(config, config.databaseUrl ?? '')).trouble
    }
    expect(await judge({ DATABASE_URL: url })).toBeUndefined()
    expect(await judge({ DATABASE_URL: bySession.url })).toBeUndefined()
    expect(await judge({ DATABASE_URL: byStatement.url })).toMatch(/set its pool_mode to transac/)
    expect(await judge({ DATABASE_URL: pooler.url })).toMatch(/max_prepared_statements = 200/)
    const unprepared = { DATABASE_URL: pooler.url, DATABASE_PREPARED: 'off' }
    expect(await judge(unprepared)).toBeUndefined()
    expect(await judge({ ...unprepared, DATABASE_DIRECT_URL: url })).toBeUndefined()
    expect(await judge({ ...unprepared, DATABASE_DIRECT_URL: other.url })).toMatch(
      /different databases/,
    )
    const around = new URL(pooler.url)
    around.searchParams.set('application_name', 'other')
    expect(await judge({ ...unprepared, DATABASE_DIRECT_URL: around.href })).toMatch(
      /DATABASE_DIRECT_URL leads to a pooler, too/,
    )
    expect(await judge({ ...unprepared, DATABASE_DIRECT_URL: pooler.url })).toMatch(
      /DATABASE_DIRECT_URL leads to a pooler, too/,
    )
    expect(await judge({ DATABASE_URL: url, DATABASE_DIRECT_URL: url })).toBeUndefined()
    await expect(
      judge({ ...unprepared, DATABASE_DIRECT_URL: 'postgres://u:secret@127.0.0.1:1/x' }),
    ).rejects.toThrow(/^The database at 127.0.0.1:1 does not.*and DATABASE_DIRECT_URL.$/)
  })

  test.skipIf(whyNoPreparedNames)('a direct way is missing', async () => {
    await using database = await testDatabase()
    await using pooler = await startPgBouncer(database.url)
    const { trouble } = await examinePooler(readConfig({}), pooler.url)
    expect(trouble).toMatch(/set DATABASE_DIRECT_URL to the PostgreSQL behind it/)
  })

  test('at the start and by the doctor', async () => {
    await using database = await testDatabase()
    // As a shard it is registered only later.
    await database.pool.query('drop schema public cascade; create schema public')
    await using pooler = await startPgBouncer(database.url, 'pool_mode = statement')
    const settings = { DATABASE_URL: pooler.url, DATA_DIR: await makeDataDir() }
    await using api = startService('api', settings)
    expect(await api.exited).toEqual({ code: 1, signal: null })
    expect(api.errors()).toMatch(/^Outrider cannot start. DATABASE_URL leads to a pooler/)
    await using first = await testDatabase()
    const shards = { ...settings, DATABASE_URL: first.url, DATABASE_SHARDS: `b=${pooler.url}` }
    for (const [own, check, variable] of [
      [settings, 'pooler', 'DATABASE_URL'],
      [shards, 'b: pooler', 'DATABASE_SHARDS (b)'],
    ] as const) {
      const { stdout } = await runWith(own, 'doctor', '--json')
      const remedy = expect.stringMatching(`^${RegExp.escape(variable)} leads to a pooler`)
      const expected = expect.objectContaining({ check, status: 'fail', remedy })
      expect(JSON.parse(stdout).checks).toContainEqual(expected)
    }
  })
})
