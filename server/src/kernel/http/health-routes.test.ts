import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { patience } from '../../../test/patience.ts'
import { keepSettings } from '../../process/kept-settings.ts'
import { captureStatements } from '../db/client.ts'
import { createLog } from '../log.ts'
import { startLoop } from '../runner/loop.ts'
import { Troubles } from '../troubles.ts'

let api: TestApi
beforeAll(async () => {
  api = await testApi({ metricsToken: 'let-me-see' })
})
afterAll(() => api[Symbol.asyncDispose]())

test.each(['/health', '/ready'])('%s answers without a key', async (url) => {
  const { status, body } = await api.call('GET', url, { key: null })
  expect({ status, body }).toEqual({ status: 200, body: { status: 'ok' } })
})

test('what watches a process writes no line of the log, unless it is refused', async () => {
  const before = api.ctx.logLines.length
  await api.call('GET', '/health', { key: null })
  await api.call('GET', '/ready', { key: null })
  await api.call('GET', '/metrics', { key: 'let-me-see' })
  await api.call('GET', '/metrics', { key: 'another', address: '203.0.113.9' })
  const lines = api.ctx.logLines.slice(before).map((line) => JSON.parse(line))
  const told = lines.filter(({ msg, level }) => msg === 'request' && level >= 30)
  expect(told).toMatchObject([{ route: '/metrics', status: 401 }])
})

test('/ready says what is missing when the database is not migrated to this version', async () => {
  await using unready = await testApi()
  await unready.ctx.database.pool.query(`delete from migrations where name like '0003%'`)
  const { status, headers, body } = await unready.call('GET', '/ready', { key: null })
  expect(status).toBe(503)
  expect(body).toMatchObject({ statusCode: 503, code: 'unavailable' })
  expect(body.message).toContain('outrider migrate')
  expect(headers['retry-after']).toBe('1')
  expect((await unready.call('GET', '/health', { key: null })).status).toBe(200)
})

test('what the service refuses by a sentence of its own is in the log with it', async () => {
  await using unready = await testApi()
  unready.ctx.troubles = new Troubles(unready.ctx)
  unready.ctx.troubles.note('disk', 'No room.')
  await unready.call('GET', '/ready', { key: null })
  const lines = unready.ctx.logLines.map((line) => JSON.parse(line))
  expect(lines.find(({ msg }) => msg === 'request failed')).toMatchObject({
    ...{ route: '/ready', code: 'unavailable', cause: 'No room.' },
  })
})

test('/ready is not disturbed by what a newer version has applied', async () => {
  await using api = await testApi()
  await api.ctx.database.pool.query(
    `insert into migrations values ('9999_later.sql', outrider_now())`,
  )
  expect((await api.call('GET', '/ready', { key: null })).status).toBe(200)
})

test('/ready answers 503 once the storage of the database was found full', async () => {
  await using full = await testApi()
  const { ctx } = full
  ctx.troubles = new Troubles(ctx)
  const pool = ctx.database.pool
  await pool.query(`
    create function no_room() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
    create trigger no_room before insert on service_accounts execute function no_room()`)
  const made = await full.call('POST', '/oauth/service-accounts', {
    body: { name: 'x', scopes: ['all:*'] },
  })
  expect(made.status).toBe(503)
  const ready = await full.call('GET', '/ready', { key: null })
  expect(ready).toMatchObject({ status: 503, body: { message: expect.stringContaining('full') } })
})

test('/ready answers 503 while what runs by itself finds the storage full, until it is no more met', async () => {
  await using full = await testApi()
  const { ctx } = full
  let nowMs = 0
  let isFull = true
  ctx.troubles = new Troubles({ log: ctx.log, monotonicMs: () => nowMs })
  const refuse = `do $$ begin raise exception using errcode = 'disk_full'; end $$`
  const loop = startLoop(ctx, 'writing', 10, async () => {
    if (isFull) await ctx.database.pool.query(refuse)
  })
  const status = async () => (await full.call('GET', '/ready', { key: null })).status
  await expect.poll(status).toBe(503)
  isFull = false
  await loop.stop()
  nowMs = 14_999
  expect(await status()).toBe(503)
  nowMs = 15_000
  expect(await status()).toBe(200)
})

test('a storage that is full again is told of in the log again, also where nobody asks /ready', () => {
  const told: string[] = []
  const log = createLog('info', { destination: { write: (line) => told.push(line) } })
  let nowMs = 0
  const troubles = new Troubles({ log, monotonicMs: () => nowMs })
  const full = Object.assign(new Error('could not extend file'), { code: '53100' })
  troubles.noteFailure(full)
  troubles.noteFailure(full)
  nowMs = 3_600_000
  troubles.noteFailure(full)
  const levels = told.map((line) => JSON.parse(line).level)
  expect(levels).toEqual([50, 30, 50])
})

test('/ready answers 503 when the database is away', async () => {
  await using unready = await testApi()
  await unready.ctx.db.destroy()
  const { status, body } = await unready.call('GET', '/ready', { key: null })
  expect({ status, code: body.code }).toEqual({ status: 503, code: 'unavailable' })
})

test('/ready says that the database takes no changes, once the process has left it for that', async () => {
  await using unready = await testApi()
  const { peek } = unready.ctx.database
  await sql`
    do $$ begin
      execute format('alter database %I set default_transaction_read_only = on', current_database());
    end $$`.execute(peek)
  // Who is connected already is not concerned by it.
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(peek)
  const message = async () =>
    String((await unready.call('GET', '/ready', { key: null })).body.message)
  await expect.poll(message, patience).toContain('takes no changes')
})

test('/ready costs one look a second, however often it is asked', async () => {
  await using api = await testApi()
  let nowMs = 0
  api.ctx.monotonicMs = () => nowMs
  // What else the service does meanwhile is no look.
  const texts: string[] = []
  captureStatements((text) => texts.push(text))
  const looks = () => texts.filter((text) => text.includes('from migrations')).length
  const ask = () => api.call('GET', '/ready', { key: null })
  await Promise.all([ask(), ask(), ask()])
  for (nowMs = 0; nowMs < 1000; nowMs += 100) expect((await ask()).status).toBe(200)
  expect(looks()).toBe(1)
  await ask()
  expect(looks()).toBe(2)
  captureStatements(undefined)
})

const answers: [string, { remoteAddress: string; headers?: Record<string, string> }, number][] = [
  ['this machine', { remoteAddress: '127.0.0.1' }, 200],
  ['this machine over IPv6', { remoteAddress: '::1' }, 200],
  ['this machine on a listener of both', { remoteAddress: '::ffff:127.0.0.1' }, 200],
  ['elsewhere', { remoteAddress: '192.0.2.7' }, 401],
  ['elsewhere with a wrong token', { remoteAddress: '192.0.2.7', headers: bearer('let-me') }, 401],
  ['elsewhere with the token', { remoteAddress: '192.0.2.7', headers: bearer('let-me-see') }, 200],
  [
    'a proxy here',
    { remoteAddress: '127.0.0.1', headers: { 'x-forwarded-for': '192.0.2.7' } },
    401,
  ],
]

test.each(answers)('/metrics to %s', async (_from, request, status) => {
  const response = await api.app.inject({ url: '/metrics', ...request })
  expect(response.statusCode).toBe(status)
  if (status === 401) expect(response.json().request_id).toEqual(expect.any(String))
  if (status === 200) expect(response.headers['content-type']).toMatch(/^text\/plain; version=0/)
})

test('/metrics does not exist elsewhere when there is no token', async () => {
  await using closed = await testApi()
  const response = await closed.app.inject({ url: '/metrics', remoteAddress: '192.0.2.7' })
  expect([response.statusCode, response.json().code]).toEqual([404, 'unknown_path'])
})

const elsewhere: [string, Parameters<typeof testApi>[0]][] = [
  ['HOST', { host: '0.0.0.0' }],
  ['BASE_URL', { baseUrl: 'https://outreach.example.com' }],
  ['API_URL', { apiUrl: 'https://api.example.com' }],
  ['TRACKING_URL', { trackingUrl: 'https://links.example.com' }],
]

test.each(elsewhere)(
  '/metrics needs the token on this machine too where %s says that others reach it',
  async (_setting, config) => {
    const ask = async (metricsToken: string | undefined, headers = {}) => {
      await using api = await testApi({ ...config, metricsToken })
      const answer = await api.app.inject({ url: '/metrics', headers })
      return [answer.statusCode, answer.statusCode === 200 ? '' : answer.json().message]
    }
    // A proxy that says nothing of whom it asks for looks like this machine.
    expect(await ask('let-me-see')).toEqual([401, expect.stringContaining('METRICS_TOKEN')])
    expect(await ask('let-me-see', bearer('let-me-see'))).toEqual([200, ''])
    expect(await ask(undefined)).toEqual([404, expect.stringContaining('METRICS_TOKEN')])
  },
)

test('/metrics needs the token, too, where only another process was told that others reach it', async () => {
  await using first = await testApi()
  const { ctx } = first
  const ask = async () => (await first.app.inject({ url: '/metrics' })).json().message
  const config = { ...ctx.config, trackingUrl: 'https://links.example.com' }
  await using _other = await keepSettings({ ...ctx, config, keptSettings: new Map() }, 'api')
  await using _own = await keepSettings(ctx, 'api')
  expect(await ask()).toContain('METRICS_TOKEN')
})

test('every answered request is measured by its route pattern', async () => {
  await api.call('GET', '/oauth/service-accounts?limit=3')
  const { body: text } = await api.app.inject({ url: '/metrics' })
  expect(text).toContain('method="GET",route="/oauth/service-accounts",status="200"} 1')
})

test('the routes of operation are not in the public document', async () => {
  const paths = Object.keys((await api.call('GET', '/openapi.json')).body.paths)
  expect(paths).not.toEqual(expect.arrayContaining([expect.stringMatching(/health|ready|metrics/)]))
  expect(paths).toContain('/oauth/service-accounts')
})

function bearer(token: string) {
  return { authorization: `Bearer ${token}` }
}
