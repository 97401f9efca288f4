import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { testApi } from '../../test/app.ts'
import { commandDatabase, json, queryUnchecked, run } from '../../test/commands.ts'
import { asService } from '../../test/context.ts'
import { type TestDatabase, testDatabase } from '../../test/database.ts'
import { patience } from '../../test/patience.ts'
import { makeDataDir } from '../../test/processes.ts'
import { firstIdAt } from '../kernel/ids.ts'
import { startPostgres } from '../kernel/postgres/index.ts'
import { Troubles } from '../kernel/troubles.ts'
import { writeServiceSettings } from '../process/service-settings.ts'
import { watchHealth } from '../process/watch-health.ts'

const database = commandDatabase()
const unknownId = '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d'
const startedAt = new Date('2026-03-02T08:00:00Z')

test('the doctor is content with a service in good order', async () => {
  await json('workspaces', 'list')
  await runnerIsAlive(database())
  const { code, stdout } = await run('doctor', '--json')
  expect({ code, status: JSON.parse(stdout).status }).toEqual({ code: 0, status: 'ok' })
  expect((await run('doctor')).stdout).toMatch(/^ok +migrations +all applied$/m)
})

test.each(listFaults())('the doctor finds %s', async (_fault, cause, finding) => {
  await using own = await testDatabase()
  vi.stubEnv('DATABASE_URL', own.url)
  await json('workspaces', 'list')
  await runnerIsAlive(own)
  await cause(own)
  const { code, stdout } = await run('doctor', '--json')
  const report = JSON.parse(stdout)
  expect(report.checks).toContainEqual(
    expect.objectContaining({ remedy: expect.any(String), ...finding }),
  )
  expect(report.status).toBe(code === 1 ? 'fail' : 'warn')
})

test('the doctor warns of a Redis that cannot be used, and shows no password', async () => {
  vi.stubEnv('REDIS_URL', 'redis://:hidden@127.0.0.1:1')
  await json('workspaces', 'list')
  const { stdout } = await run('doctor', '--json')
  expect(JSON.parse(stdout).checks).toContainEqual({
    ...{ check: 'Redis', status: 'warn', remedy: expect.stringContaining('REDIS_URL') },
    detail: '127.0.0.1:1 cannot be used (ECONNREFUSED): each process counts requests for itself',
  })
  expect(stdout).not.toContain('hidden')
})

test('the doctor names a replication slot that keeps WAL without anybody who reads it', async () => {
  // Slots are of the server, and other tests share theirs.
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  await using own = await startPostgres({ dataDir: await makeDataDir(), log, durable: false })
  vi.stubEnv('DATABASE_URL', own.url)
  await json('migrate')
  const slots = async () => {
    const { checks } = JSON.parse((await run('doctor', '--json')).stdout)
    return checks.find(({ check }: { check: string }) => check === 'replication slots')
  }
  expect(await slots()).toMatchObject({ status: 'ok' })
  const client = new pg.Client(own.url)
  await client.connect()
  try {
    await client.query("select pg_create_physical_replication_slot('gone', true)")
    // It keeps little, as of a standby that is being restarted.
    expect(await slots()).toMatchObject({ status: 'ok' })
    // Each ends a file of 16 MB.
    for (let file = 0; file < 8; file++) {
      await client.query("select pg_logical_emit_message(false, '', 'x')")
      await client.query('select pg_switch_wal()')
    }
    expect(await slots()).toMatchObject({
      status: 'warn',
      detail: expect.stringMatching(/^gone keeps 1[2-4]\d MB of WAL that nobody reads$/),
      remedy: expect.stringContaining("select pg_drop_replication_slot('gone')"),
    })
  } finally {
    await client.end()
  }
})

test('the doctor, /ready and a command that waits name a synchronous standby that does not answer, for which commits wait', async () => {
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  await using own = await startPostgres({ dataDir: await makeDataDir(), log, durable: false })
  vi.stubEnv('DATABASE_URL', own.url)
  await json('migrate')
  const client = new pg.Client(own.url)
  await client.connect()
  const awaitStandby = async (names: string) => {
    await client.query(`alter system set synchronous_standby_names = '${names}'`)
    await client.query('select pg_reload_conf()')
  }
  const waiting = new pg.Client(own.url)
  await waiting.connect()
  // A server for tests does not wait for its disk, and so for no standby either.
  await waiting.query('set synchronous_commit = on')
  await using api = await testApi()
  api.ctx.troubles = new Troubles(api.ctx)
  api.ctx.config = { ...api.ctx.config, databaseUrl: own.url }
  const hurried = {
    ...asService(api.ctx),
    sleep: () => new Promise<void>((resolve) => setImmediate(resolve)),
  }
  const ready = async () => (await api.call('GET', '/ready', { key: null })).body
  const names = 'ANY 1 (a, b)'
  try {
    await awaitStandby(names)
    let isAwaited = true
    // Some end before the server has read its settings again.
    const changes = (async () => {
      while (isAwaited) await waiting.query("select pg_logical_emit_message(true, '', 'x')")
    })()
    await using _health = await watchHealth(hurried, undefined)
    await expect
      .poll(ready, patience)
      .toMatchObject({ code: 'unavailable', message: expect.stringContaining(names) })
    const { checks } = JSON.parse((await run('doctor', '--json')).stdout)
    expect(checks).toContainEqual({
      ...{ check: 'standby', status: 'fail', detail: expect.stringContaining(names) },
      remedy: expect.stringContaining('set synchronous_standby_names'),
    })
    expect(checks).not.toContainEqual(expect.objectContaining({ check: 'runners' }))
    await client.query('alter role outrider set synchronous_commit = on')
    const creating = run('workspaces', 'create', '--name', 'waits')
    const told = () => String(vi.mocked(process.stderr.write).mock.calls)
    await expect.poll(told, patience).toContain(names)
    isAwaited = false
    await awaitStandby('')
    await changes
    expect((await creating).code).toBe(0)
    await expect.poll(ready, patience).toEqual({ status: 'ok' })
  } finally {
    await Promise.all([client.end(), waiting.end()])
  }
})

test('a migration that waits for a synchronous standby names it', async () => {
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  await using own = await startPostgres({ dataDir: await makeDataDir(), log, durable: false })
  vi.stubEnv('DATABASE_URL', own.url)
  const client = new pg.Client(own.url)
  await client.connect()
  const awaitStandby = async (names: string) => {
    await client.query(`alter system set synchronous_standby_names = '${names}'`)
    await client.query('select pg_reload_conf()')
  }
  try {
    await awaitStandby('gone')
    // A server for tests does not wait for its disk, and so for no standby either.
    await client.query('alter role outrider set synchronous_commit = on')
    const migrating = run('migrate')
    const told = () => String(vi.mocked(process.stderr.write).mock.calls)
    await expect.poll(told, patience).toContain('synchronous_standby_names is gone')
    await awaitStandby('')
    expect((await migrating).code).toBe(0)
  } finally {
    await client.end()
  }
})

test('the doctor says whose settings it goes by', async () => {
  const settings = async () => {
    const { checks } = JSON.parse((await run('doctor', '--json')).stdout)
    return checks.find(({ check }: { check: string }) => check === 'settings')
  }
  expect(await settings()).toMatchObject({
    status: 'ok',
    detail: expect.stringContaining('no service'),
  })
  const DATA_DIR = await makeDataDir()
  vi.stubEnv('DATA_DIR', DATA_DIR)
  // The service has the database and the key of this shell.
  const { DATABASE_URL, OUTRIDER_SECRET_KEY } = process.env
  const service = { PORT: '4000', DATABASE_URL, OUTRIDER_SECRET_KEY }
  await writeServiceSettings(DATA_DIR, startedAt, service)
  const detail = 'of the service that started at 2026-03-02T08:00:00.000Z'
  expect(await settings()).toMatchObject({ status: 'ok', detail })
})

test('the doctor says why private addresses are refused', async () => {
  vi.stubEnv('HOST', '0.0.0.0')
  const { checks } = JSON.parse((await run('doctor', '--json')).stdout)
  const { detail } = checks.find(({ check }: { check: string }) => check === 'outbound policy')
  expect(detail).toContain('public, as 0.0.0.0 is reachable from elsewhere')
})

test('the doctor shows the outbound policy that holds, also where another process was told it', async () => {
  await using own = await testDatabase()
  vi.stubEnv('DATABASE_URL', own.url)
  await json('migrate')
  const policy = async () => {
    const { checks } = JSON.parse((await run('doctor', '--json')).stdout)
    return checks.find(({ check }: { check: string }) => check === 'outbound policy').detail
  }
  await queryUnchecked(
    own,
    `insert into kept_settings values ('OUTBOUND_POLICY', 'public', outrider_now())`,
  )
  expect(await policy()).toContain('public, as another process is reachable from elsewhere')
  await queryUnchecked(
    own,
    `update kept_settings set timestamp_told = outrider_now() - interval '4 minutes'`,
  )
  expect(await policy()).toBe('any')
})

test('the doctor names the first of many missing migrations, and counts the rest', async () => {
  await using own = await testDatabase()
  vi.stubEnv('DATABASE_URL', own.url)
  await json('migrate')
  await queryUnchecked(own, 'delete from migrations')
  const { checks } = JSON.parse((await run('doctor', '--json')).stdout)
  const { detail } = checks.find(({ check }: { check: string }) => check === 'migrations')
  expect(detail).toMatch(/^missing 0001_\w+\.sql, 0002_\w+\.sql, 0003_\w+\.sql and \d+ more$/)
})

type Fault = (database: TestDatabase) => unknown

function listFaults(): [string, Fault, object][] {
  return [
    [
      'unsubscribes that wait for their workspace',
      ({ peek }) =>
        peek
          .insertInto('waiting_unsubscribes')
          .values({ token: 'sealed', timestamp_created: new Date('2026-03-01T08:00:00Z') })
          .execute(),
      { check: 'unsubscribes', status: 'warn', detail: expect.stringContaining('1 wait') },
    ],
    [
      'that no runner is alive',
      (own) => queryUnchecked(own, 'delete from runners'),
      { check: 'runners', status: 'fail', detail: 'none alive' },
    ],
    [
      'a runner that is alive since before the last migration, by its process',
      (own) =>
        queryUnchecked(
          own,
          `with applied as (update migrations set timestamp_applied = outrider_now() returning name)
           update runners set process = 'boot pid:[1] 4711 22' where exists (select from applied)`,
        ),
      {
        ...{ check: 'runners', status: 'fail', remedy: expect.stringContaining('stop them') },
        detail: expect.stringMatching(/^older than .*: process 4711 on the machine whose .* boot$/),
      },
    ],
    [
      'a missing migration',
      (own) => queryUnchecked(own, `delete from migrations where name like '0004%'`),
      { check: 'migrations', status: 'fail', detail: 'missing 0004_runners.sql' },
    ],
    [
      'a migration of a newer version',
      (own) =>
        queryUnchecked(
          own,
          `insert into migrations select '999' || n || '_x.sql', outrider_now() from generate_series(1, 5) n`,
        ),
      {
        ...{ check: 'migrations', status: 'fail', remedy: expect.stringContaining('way back') },
        detail: '9991_x.sql, 9992_x.sql, 9993_x.sql and 2 more come from a newer version',
      },
    ],
    [
      'another secret key',
      () => vi.stubEnv('OUTRIDER_SECRET_KEY', randomBytes(32).toString('base64')),
      { check: 'secret key', status: 'fail', detail: expect.stringContaining('not ours') },
    ],
    [
      'a clock that is wrong',
      (own) => moveClock(own, '1 hour'),
      { check: 'clock', status: 'warn', detail: expect.stringMatching(/^3(600|599)\.\d s/) },
    ],
    [
      'a clock that was put back',
      (own) =>
        queryUnchecked(own, `update instance set timestamp_seen = now() + interval '59 minutes'`),
      { check: 'clock', status: 'fail', detail: expect.stringContaining('59 min behind') },
    ],
    [
      'partitions that have run out',
      (own) => moveClock(own, '30 days'),
      { check: 'partitions', status: 'fail' },
    ],
    [
      'deliveries that are late',
      (own) =>
        queryUnchecked(
          own,
          `insert into deliveries (workspace_id, id, bucket, webhook_id, event_id, due_at, expires_at)
           select id, id, 0, id, id, outrider_now() - interval '1 hour', outrider_now() from instance`,
        ),
      {
        check: 'deliveries',
        status: 'warn',
        detail: expect.stringMatching(/^1 pending, the oldest/),
      },
    ],
    [
      'deliveries that ended because too many waited',
      (own) =>
        queryUnchecked(
          own,
          `insert into webhook_events (workspace_id, id, webhook_id, webhook_url, event_id, event_type,
             retry_group_id, retry_count, success, will_retry, error_message)
           select w.id, '${firstIdAt(new Date())}', i.id, 'x', i.id, 'lead.lost', i.id, 0, false, false,
             'backlog_full'
           from instance i, workspaces w`,
        ),
      {
        check: 'deliveries',
        status: 'warn',
        detail: '0 pending; 1 ended as backlog_full in 24 h',
        remedy: expect.stringContaining('webhooks replay'),
      },
    ],
    [
      'a destination that has failed for an hour',
      (own) =>
        queryUnchecked(
          own,
          `with made as (
             insert into webhooks (workspace_id, id, name, target_hook_url, event_type, secret,
               timestamp_created, timestamp_updated)
             select id, '${unknownId}', 'crm', 'https://crm.example/hook', 'all_events', '', now(), now()
             from workspaces
             returning workspace_id, id
           ) insert into webhook_lanes (workspace_id, webhook_id, failing_since)
           select workspace_id, id, outrider_now() - interval '61 minutes' from made`,
        ),
      {
        ...{ check: 'webhooks', status: 'warn' },
        detail: expect.stringMatching(`^${unknownId} of default at crm.example fails since 20`),
        remedy: expect.stringContaining('webhooks list --failing'),
      },
    ],
    [
      'contacts that searches do not find yet',
      (own) =>
        queryUnchecked(
          own,
          `insert into directory_imports (id, fingerprint, progress, timestamp_created, timestamp_updated)
           select id, 'reindex', '{}', now(), now() from instance`,
        ),
      { check: 'directory', status: 'warn', remedy: expect.stringContaining('directory reindex') },
    ],
    [
      'mails that the new primary lacks, by their names',
      async (own) => {
        await addRemoteMailbox(own, 'anna@x.invalid')
        await addCampaign(own)
        await queryUnchecked(
          own,
          `insert into missing_marks (workspace_id, lead_id, step_id, id, campaign_id, mailbox_id,
             timestamp_marked)
           select w.id, '${unknownId}', i.id, gen_random_uuid(), c.id, m.id, now()
           from instance i, workspaces w, campaigns c, mailboxes m, generate_series(1, 12)`,
        )
        await queryUnchecked(
          own,
          `update instance set sending_held_since = now(), sending_held_reason = 'mails_missing'`,
        )
      },
      {
        ...{ check: 'sending', status: 'fail' },
        detail: expect.stringMatching(
          new RegExp(`Missing: (to ${unknownId} of x from anna@x.invalid, ){10}and 2 more\\.$`),
        ),
        remedy: expect.stringContaining('sends confirm-restore'),
      },
    ],
    [
      'links that lead recipients to this machine',
      (own) => addRemoteMailbox(own),
      {
        ...{ check: 'links of mails', status: 'warn' },
        remedy: expect.stringContaining('Set TRACKING_URL'),
      },
    ],
    [
      'campaigns that nobody can unsubscribe from',
      async (own) => {
        await addRemoteMailbox(own)
        await addCampaign(own)
      },
      { check: 'unsubscribing', status: 'warn', detail: expect.stringMatching(/^1 active/) },
    ],
    [
      'processes that were given different addresses for links',
      (own) =>
        queryUnchecked(
          own,
          `insert into kept_settings values
             ('TRACKING_URL', 'https://a.example.com', outrider_now(), 'https://b.example.com', outrider_now())`,
        ),
      {
        ...{ check: 'settings of processes', status: 'warn' },
        detail: expect.stringContaining('https://b.example.com'),
      },
    ],
    [
      'processes that were told to keep history for different times',
      (own) =>
        queryUnchecked(
          own,
          `insert into kept_settings values
             ('WEBHOOK_RETENTION_DAYS', '40', outrider_now(), '365', outrider_now()),
             ('AUDIT_RETENTION_DAYS', '40', outrider_now(), '365', outrider_now() - interval '1 h')`,
        ),
      {
        ...{ check: 'settings of processes', status: 'warn' },
        detail: 'WEBHOOK_RETENTION_DAYS is 40, a process that runs was told 365',
      },
    ],
    [
      'more mailboxes than IMAP connections',
      async (own) => {
        vi.stubEnv('IMAP_CONNECTIONS', '10')
        await queryUnchecked(
          own,
          `insert into runners (id, kind, heartbeat_at)
           select gen_random_uuid(), 'mailboxes', outrider_now()`,
        )
        for (let n = 0; n < 11; n++) await addRemoteMailbox(own, `a${n}@x.invalid`)
      },
      {
        ...{ check: 'reading', status: 'warn' },
        detail: expect.stringContaining('11 mailboxes are read over at most 10 IMAP connections'),
        remedy: expect.stringContaining('Set IMAP_CONNECTIONS to 11'),
      },
    ],
    [
      'more mailboxes than IMAP connections of one of several databases',
      async (own) => {
        vi.stubEnv('IMAP_CONNECTIONS', '20')
        vi.stubEnv('DATABASE_SHARDS', 'b=postgres://127.0.0.1:1/away')
        await queryUnchecked(
          own,
          `insert into runners (id, kind, heartbeat_at)
           select gen_random_uuid(), 'mailboxes', outrider_now()`,
        )
        for (let n = 0; n < 11; n++) await addRemoteMailbox(own, `a${n}@x.invalid`)
      },
      {
        ...{ check: 'reading', status: 'warn' },
        detail: expect.stringContaining('11 mailboxes are read over at most 10 IMAP connections'),
        remedy: expect.stringContaining('Set IMAP_CONNECTIONS to 22'),
      },
    ],
    [
      'a shell whose settings are not those of the service',
      async () => {
        const DATA_DIR = await makeDataDir()
        await writeServiceSettings(DATA_DIR, startedAt, {
          PORT: '4000',
          BASE_URL: 'http://a.example',
        })
        vi.stubEnv('DATA_DIR', DATA_DIR)
        vi.stubEnv('PORT', '5000')
      },
      {
        ...{ check: 'settings', status: 'warn' },
        detail:
          'of the service that started at 2026-03-02T08:00:00.000Z, but this shell has its own PORT, DATABASE_URL, OUTRIDER_SECRET_KEY',
        remedy: expect.stringMatching(/^Unset them here .*, or restart the service with them/),
      },
    ],
    [
      'an open policy on an open listener',
      () => {
        vi.stubEnv('HOST', '0.0.0.0')
        vi.stubEnv('OUTBOUND_POLICY', 'any')
      },
      { check: 'outbound policy', status: 'warn' },
    ],
    [
      'an open policy where links of mails lead to this service from everywhere',
      () => vi.stubEnv('TRACKING_URL', 'https://links.example.com'),
      {
        ...{ check: 'outbound policy', status: 'warn' },
        detail: expect.stringContaining('https://links.example.com'),
        remedy: expect.stringContaining('Set OUTBOUND_POLICY=public'),
      },
    ],
    [
      'an open policy where another process was told that links lead here from everywhere',
      (own) =>
        queryUnchecked(
          own,
          `insert into kept_settings values ('TRACKING_URL', 'https://links.example.com', outrider_now())`,
        ),
      {
        ...{ check: 'outbound policy', status: 'warn' },
        detail: expect.stringContaining('https://links.example.com'),
      },
    ],
    [
      'a database that does not answer',
      () => vi.stubEnv('DATABASE_URL', 'postgres://u:hidden@127.0.0.1:1/x'),
      { check: 'database', status: 'fail', detail: expect.not.stringContaining('hidden') },
    ],
    [
      'a setting that makes no sense',
      () => vi.stubEnv('PORT', 'x'),
      { check: 'configuration', status: 'fail' },
    ],
  ]
}

/** With a domain that no name server knows. */
const addRemoteMailbox = (own: TestDatabase, address = 'a@x.invalid') =>
  queryUnchecked(
    own,
    `insert into mailboxes (workspace_id, id, address, address_folded, settings, timestamp_created,
       timestamp_updated)
     select w.id, gen_random_uuid(), '${address}', '${address}', '', now(), now() from workspaces w`,
  )

/** That gives its leads no way to unsubscribe. */
const addCampaign = (own: TestDatabase) =>
  queryUnchecked(
    own,
    `insert into campaigns (workspace_id, id, name, status, campaign_schedule, sequences,
       insert_unsubscribe_header, email_gap, random_wait_max, stop_on_reply,
       stop_on_auto_reply, stop_for_company, open_tracking, link_tracking, text_only,
       first_email_text_only, prioritize_new_leads, timestamp_created, timestamp_updated)
     select w.id, i.id, 'x', 'active', '{}', '[]', false, 5, 5, true, false, false, false, false,
       false, false, false, now(), now()
     from instance i, workspaces w`,
  )

const runnerIsAlive = (own: TestDatabase) =>
  queryUnchecked(
    own,
    'insert into runners (id, heartbeat_at) select id, outrider_now() from instance',
  )

const moveClock = (own: TestDatabase, by: string) =>
  queryUnchecked(
    own,
    `create or replace function outrider_now() returns timestamptz
     language sql stable as $$ select statement_timestamp() + interval '${by}' $$`,
  )
