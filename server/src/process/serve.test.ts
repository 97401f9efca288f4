import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { open, readdir } from 'node:fs/promises'
import { type AddressInfo, connect as connectSocket, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { testContext } from '../../test/context.ts'
import { testDatabase } from '../../test/database.ts'
import {
  makeDataDir,
  makeDataDirWithDatabase,
  operatorJson,
  runOperator,
  startService,
} from '../../test/processes.ts'
import { readConfig } from '../config.ts'
import { operator } from '../features/audit/index.ts'
import { createKeyAsOperator } from '../features/keys/index.ts'
import { addMailbox } from '../features/mailboxes/index.ts'
import { createWorkspace, ensureDefaultWorkspace } from '../features/workspaces/index.ts'
import { createSecretBox } from '../kernel/crypto.ts'

describe('start', () => {
  test('npm start brings a database, answers, and tells a person where to go next', async () => {
    const DATA_DIR = await makeDataDir()
    await using service = startService('main', { DATA_DIR })
    const address = await service.address()
    for (const path of ['/health', '/ready']) {
      expect(await (await fetch(address + path)).json()).toEqual({ status: 'ok' })
    }
    await service.told('Stop')
    for (const part of [address, `${address}/docs`, DATA_DIR, 'npx outrider keys create']) {
      expect(service.errors()).toContain(part)
    }
    expect(service.logLines).toContainEqual(
      expect.objectContaining({
        ...{ msg: 'outbound policy', mode: 'any' },
        reason: 'HOST, BASE_URL and API_URL are loopback addresses',
      }),
    )
    await using second = startService('main', { DATA_DIR })
    expect(await second.exited).toEqual({ code: 1, signal: null })
    expect(second.errors()).toContain('Another Outrider already runs on DATA_DIR')
  })

  test('a sample directory that cannot be written is no reason not to start', async () => {
    const settings = { DATA_DIR: await makeDataDir(), TMPDIR: '/nowhere' }
    await using service = startService('main', settings)
    expect(await service.logged('the sample directory was not loaded')).toMatchObject({
      code: 'ENOENT',
    })
    expect((await fetch(`${await service.address()}/ready`)).status).toBe(200)
  })

  const password = 'secret-of-the-database'
  const refusals: [string, 'main' | 'api' | 'runner', Record<string, string>, RegExp][] = [
    [
      'a setting that makes no sense',
      'main',
      { PORT: 'x' },
      /^Outrider cannot start\. PORT must be/,
    ],
    [
      'a database that is not there',
      'api',
      { DATABASE_URL: `postgres://u:${password}@127.0.0.1:1/x` },
      /database at 127\.0\.0\.1:1 does not answer \(ECONNREFUSED\)/,
    ],
    [
      'a DATA_DIR that is a file',
      'main',
      { DATA_DIR: fileURLToPath(import.meta.url) },
      /ENOTDIR.*: a part of this path is a file; set DATA_DIR to a directory\./,
    ],
    ['an address of no database', 'api', { DATABASE_URL: password }, /must be an address such as/],
  ]
  test.each(refusals)('%s is refused in one sentence', async (_what, role, settings, sentence) => {
    await using service = startService(role, { DATA_DIR: '/nowhere', ...settings })
    expect(await service.exited).toEqual({ code: 1, signal: null })
    expect(service.errors()).toMatch(sentence)
    expect(service.errors().trim().split('\n')).toHaveLength(1)
    expect(service.errors()).not.toContain(password)
  })

  test('a proxy that is no range of addresses, and more connections than an embedded database takes, are refused', () => {
    expect(() => readConfig({ TRUSTED_PROXIES: '10.0.0.5/8' })).toThrow(
      /^TRUSTED_PROXIES: "10\.0\.0\.5\/8" has bits set after its prefix; /,
    )
    expect(() => readConfig({ DATABASE_CONNECTIONS: '91' })).toThrow(/from 2 to 90/)
  })

  test.each(['p@ss/word', '1/2', '1#2', '1?2'])(
    'an address with the password %s as it is names no part of it as a host, and is refused',
    (word) => {
      const url = `postgres://u:${word}@10.0.0.5:5432/x`
      for (const variables of [
        { DATABASE_URL: url },
        { DATABASE_URL: 'postgres://h/x', DATABASE_DIRECT_URL: url },
      ]) {
        const name = Object.keys(variables).at(-1)
        expect(() => readConfig(variables)).toThrow(new RegExp(`^${name} has .* / as %2F`))
      }
      const encoded = `postgres://u:${encodeURIComponent(word)}@10.0.0.5:5432/x`
      expect(readConfig({ DATABASE_URL: encoded }).databaseUrl).toBe(encoded)
    },
  )

  test('an address of another database than PostgreSQL is refused', () => {
    for (const scheme of ['mysql', 'http']) {
      expect(() => readConfig({ DATABASE_URL: `${scheme}://h/x` })).toThrow(
        /^DATABASE_URL must be an address such as postgres:/,
      )
    }
    for (const url of ['postgresql://h/x', 'socket:/var/run/postgresql?db=x', '/var/run x']) {
      expect(readConfig({ DATABASE_URL: url }).databaseUrl).toBe(url)
    }
  })

  test.each([
    ['HOST', 'https://x.example', /^HOST must be a host name/],
    ['HOST', 'localhost:3000', /^HOST must be a host name/],
    ['BASE_URL', 'https://x.example/outrider', /^BASE_URL must have no path, as https:/],
    ['BASE_URL', 'https://u:hidden@x.example', /^BASE_URL must have no user, password/],
    ['API_URL', 'https://x.example/?', /^API_URL must have no query/],
    ['TRACKING_URL', 'https://x.example/l?to=', /^TRACKING_URL must have no query/],
    ['OIDC_ISSUER', 'https://x.example/#a', /^OIDC_ISSUER must have no .*fragment/],
    ['ACQUISITION_PROVIDER_URL', 'https://u:hidden@x.example', /must have no user, password/],
  ])('%s %s leads nowhere with what is too much in it, and is refused', (name, url, sentence) => {
    expect(() => readConfig({ [name]: url })).toThrow(sentence)
    expect(() => readConfig({ [name]: url })).not.toThrow('hidden')
  })

  test.each(['1', '5060', '6000', '6665', '10080'])(
    'at port %s browsers open no page: it is refused where people open one, and taken where only programs call',
    (port) => {
      expect(() => readConfig({ PORT: port })).toThrow(`PORT must not be ${port},`)
      for (const name of ['BASE_URL', 'TRACKING_URL']) {
        const address = { [name]: `https://outrider.example:${port}` }
        expect(() => readConfig(address)).toThrow(`${name} must not be at port ${port},`)
      }
      expect(readConfig({ PORT: port, BASE_URL: 'https://x.example' }).port).toBe(Number(port))
      const API_URL = `http://outrider.example:${port}`
      expect(readConfig({ API_URL, PORT: port })).toMatchObject({
        apiUrl: API_URL,
        port: Number(port),
      })
    },
  )

  test('an address is taken as it is called, whatever it ends with', () => {
    const { baseUrl, apiUrl, trackingUrl } = readConfig({
      BASE_URL: ' HTTPS://X.example:443/ ',
      API_URL: 'https://x.example/outreach//',
      TRACKING_URL: 'https://l.example/l/',
    })
    expect({ baseUrl, apiUrl, trackingUrl }).toEqual({
      baseUrl: 'https://x.example',
      apiUrl: 'https://x.example/outreach',
      trackingUrl: 'https://l.example/l',
    })
  })

  test('an address of Redis that the client would misread is refused, and one without a scheme is taken', () => {
    for (const REDIS_URL of [
      'http://localhost:6379',
      'redis://:pass/word@localhost:6379',
      'redis://u:1/2@localhost',
      'redis://u:1#2@localhost',
      'redis://u:1?2@localhost',
      'redis://:100%@localhost:6379',
      'redis://localhost:6379/0/',
      'localhost:6379/1',
    ]) {
      expect(() => readConfig({ REDIS_URL })).toThrow(/^REDIS_URL must be .* such as redis:/)
    }
    for (const url of [
      'rediss://:secret@redis.example.com:6379/1',
      'redis://u:p%40ss%2Fword@localhost:6379/?family=6',
      'localhost:6379',
      '/run/redis',
    ]) {
      expect(readConfig({ REDIS_URL: url }).redisUrl).toBe(url)
    }
  })

  test('a port that is taken, a foreign key and a missing database are refused too', async () => {
    await using database = await testDatabase()
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const PORT = String((taken.address() as AddressInfo).port)
    const DATABASE_URL = database.url
    const settings = { DATABASE_URL, OUTRIDER_SECRET_KEY: secretKey() }
    await using api = startService('api', { ...settings, PORT })
    await api.exited
    expect(api.errors()).toContain(`Port ${PORT} on 127.0.0.1 is taken`)
    const DATA_DIR = await makeDataDir()
    await using first = startService('main', { DATA_DIR, PORT })
    await first.exited
    expect(first.errors()).toContain(`Port ${PORT} on 127.0.0.1 is taken`)
    // Nor was a database made for it.
    expect(await readdir(DATA_DIR)).toEqual([])
    taken.close()

    await using other = startService('api', { ...settings, OUTRIDER_SECRET_KEY: secretKey() })
    await other.exited
    expect(other.errors()).toContain('set OUTRIDER_SECRET_KEY')

    await using lost = startService('api', { ...settings, DATABASE_URL: `${DATABASE_URL}_not` })
    await lost.exited
    expect(lost.errors()).toMatch(/has no database "\w+_not": create it/)
  })

  test('a database that a newer version has migrated is refused, with the way back', async () => {
    await using database = await testDatabase()
    const settings = { DATABASE_URL: database.url, OUTRIDER_SECRET_KEY: secretKey() }
    await sql`insert into migrations values ('9999_later.sql', outrider_now())`.execute(
      database.peek,
    )
    const { code, stderr } = await runOperator(['migrate'], settings)
    expect(code).toBe(1)
    for (const role of ['main', 'api', 'runner'] as const) {
      await using service = startService(role, settings)
      expect(await service.exited).toEqual({ code: 1, signal: null })
      for (const told of [service.errors(), stderr]) {
        expect(told).toContain('newer than this version (it has 9999_later.sql): update Outrider.')
        expect(told).toMatch(/The way back is a backup .* run "npx outrider backup restore FILE"/)
        expect(told.trim().split('\n')).toHaveLength(1)
      }
    }
  })

  test('a start that lacks a key in use does not say that all is well', async () => {
    await using ctx = await testContext()
    await ctx.useRealTime()
    const [old, next] = [secretKey(), secretKey()]
    ctx.secrets = createSecretBox([Buffer.from(old, 'base64')])
    const settings = { DATABASE_URL: ctx.database.url, OUTRIDER_SECRET_KEY: old }
    const { id } = await createWorkspace(ctx, 'x')
    const server = { host: 'mail.example.com', port: 1, security: 'tls', username: 'a' } as const
    const login = { ...server, password: 'b' }
    await addMailbox(ctx, id, { address: 'anna@example.com', smtp: login, imap: login }, operator)
    const rotated = { ...settings, OUTRIDER_SECRET_KEY: `${next},${old}` }
    await using first = startService('api', rotated)
    await first.address()
    first.kill('SIGTERM')
    expect(await first.exited).toEqual(clean)
    await using api = startService('api', { ...settings, OUTRIDER_SECRET_KEY: next })
    const address = await api.address()
    await api.told('Stop')
    expect(api.errors()).not.toContain('is running.')
    expect(api.errors()).toContain('is running, but it is not healthy:')
    expect(api.errors()).toMatch(/OUTRIDER_SECRET_KEY lacks a key.*1 mailboxes with key/)
    // Its command for the first key is refused without them.
    expect(api.errors()).toContain('shell that has the same DATABASE_URL, OUTRIDER_SECRET_KEY')
    expect((await fetch(`${address}/ready`)).status).toBe(503)
  })

  test('a service that lacks the DATABASE_URL of its last start makes no database of its own', async () => {
    await using database = await testDatabase()
    const DATA_DIR = await makeDataDir()
    const settings = { DATA_DIR, OUTRIDER_SECRET_KEY: secretKey() }
    await using service = startService('main', { ...settings, DATABASE_URL: database.url })
    await service.address()
    service.kill('SIGTERM')
    expect(await service.exited).toEqual(clean)
    await using bare = startService('main', settings)
    expect(await bare.exited).toEqual({ code: 1, signal: null })
    expect(bare.errors()).toMatch(/ran with DATABASE_URL, .* set it .*, or remove .*server\.json/)
    expect(await readdir(DATA_DIR)).not.toContain('postgres')
  })

  test('a first start with DATABASE_URL leaves no database behind in DATA_DIR', async () => {
    await using database = await testDatabase()
    await database.pool.query('drop schema public cascade; create schema public')
    const DATA_DIR = await makeDataDirWithDatabase()
    await using service = startService('main', { DATA_DIR })
    await service.address()
    service.kill('SIGTERM')
    expect(await service.exited).toEqual(clean)
    const settings = { DATA_DIR, DATABASE_URL: database.url }
    await using other = startService('main', settings)
    expect(await other.exited).toEqual({ code: 1, signal: null })
    const { code, stderr } = await runOperator(['migrate'], settings)
    expect(code).toBe(1)
    for (const told of [other.errors(), stderr]) {
      expect(told).toContain(
        `DATA_DIR ${DATA_DIR} has a database, and that of DATABASE_URL is empty`,
      )
      expect(told.trim().split('\n')).toHaveLength(1)
    }
    const { rows } = await database.pool.query(`select from pg_tables where schemaname = 'public'`)
    expect(rows).toEqual([])
  })

  test('api and runner start together on an empty database and serve it', async () => {
    await using database = await testDatabase()
    await database.pool.query('drop schema public cascade; create schema public')
    const DATA_DIR = await makeDataDir()
    const settings = { DATABASE_URL: database.url, DATA_DIR, OUTRIDER_SECRET_KEY: secretKey() }
    const BASE_URL = 'https://app.example.com'
    await using api = startService('api', { ...settings, BASE_URL })
    await using runner = startService('runner', { ...settings, RUNNER_PORT: '0' })
    const [apiAddress, runnerAddress] = await Promise.all([api.address(), runner.address()])
    // Commands beside an API go by its settings.
    const setUp = await runOperator(['users', 'set-up-link'], settings)
    expect(setUp.stdout).toContain(BASE_URL)
    const { key } = await operatorJson(keysCreate, settings)
    const listed = await fetch(`${apiAddress}/oauth/service-accounts`, bearer(key))
    expect(listed.status).toBe(200)
    expect((await fetch(`${runnerAddress}/ready`)).status).toBe(200)
    expect((await fetch(`${runnerAddress}/oauth/service-accounts`, bearer(key))).status).toBe(404)
    const metrics = await (await fetch(`${runnerAddress}/metrics`)).text()
    for (const name of ['outrider_lanes_leased', 'process_resident_memory_bytes']) {
      expect(metrics).toContain(name)
    }
    for (const service of [api, runner]) service.kill('SIGTERM')
    expect(await Promise.all([api.exited, runner.exited])).toEqual([clean, clean])
  })
})

describe('stop', () => {
  test('a log that cannot be written, as on a full disk, keeps nothing from answering or ending', async () => {
    const full = await open('/dev/full', 'w')
    const DATA_DIR = await makeDataDirWithDatabase()
    await using service = startService('main', { DATA_DIR }, { stdout: full.fd })
    await full.close()
    await service.told('Stop')
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(service.errors())?.[0] ?? ''
    expect((await fetch(`${address}/health`)).status).toBe(200)
    service.kill('SIGTERM')
    expect(await service.exited).toEqual(clean)
  })

  test('SIGTERM answers the requests under way, takes no new ones, and ends well', async () => {
    const DATA_DIR = await makeDataDirWithDatabase()
    await using service = startService('main', { DATA_DIR })
    const address = await service.address()
    const { key } = await operatorJson(keysCreate, { DATA_DIR })
    const requests = await Promise.all([1, 2, 3].map(() => beginRequest(address, key)))
    service.kill('SIGTERM')
    // Under `npm start` a Ctrl-C arrives twice; the second is no reason to hurry.
    service.kill('SIGTERM')
    await service.logged('stopping')
    await expect(fetch(`${address}/health`)).rejects.toThrow()
    const answers = await Promise.all(requests.map((request) => request.finish()))
    for (const answer of answers) {
      expect(answer).toMatch(/^HTTP\/1\.1 201 Created/)
      // The client must not send its next request into the end of the process.
      expect(answer).toMatch(/^connection: close\r$/im)
    }
    expect(await service.exited).toEqual(clean)
  })

  test('SIGHUP of a closed terminal is an orderly stop, however often it comes', async () => {
    const DATA_DIR = await makeDataDirWithDatabase()
    await using service = startService('main', { DATA_DIR })
    const address = await service.address()
    const { key } = await operatorJson(keysCreate, { DATA_DIR })
    const request = await beginRequest(address, key)
    service.kill('SIGHUP')
    await service.logged('stopping')
    for (const signal of ['SIGHUP', 'SIGINT', 'SIGHUP'] as const) service.kill(signal)
    expect(await request.finish()).toMatch(/^HTTP\/1\.1 201 Created/)
    expect(await service.exited).toEqual(clean)
  })

  test('SIGTERM to npx, which passes it to its shell alone, stops the service that it started', async () => {
    const DATA_DIR = await makeDataDirWithDatabase()
    const command = ['npx', '--no', '--', 'outrider']
    await using service = startService('main', { DATA_DIR }, { command })
    await service.logged('started')
    service.kill('SIGTERM')
    // It writes to what npx was given until it has ended.
    await service.exited
    expect(service.logLines.at(-1)?.msg).toBe('stopped')
    expect(service.errors()).not.toContain('ended before everything had stopped')
  })

  test('the third signal ends a process at once', async () => {
    await using ctx = await testContext()
    const settings = { DATABASE_URL: ctx.database.url, OUTRIDER_SECRET_KEY: secretKey() }
    await using service = startService('api', settings)
    const address = await service.address()
    const { id } = await ensureDefaultWorkspace(ctx)
    const { key } = await createKeyAsOperator(ctx, id, { name: 'ci', scopes: ['all:*'] })
    const request = await beginRequest(address, key)
    service.kill('SIGINT')
    await service.logged('stopping')
    // Two different ones: of two equal signals the system may deliver one.
    service.kill('SIGINT')
    service.kill('SIGTERM')
    expect(await service.exited).toEqual({ code: 1, signal: null })
    request.abandon()
  })

  test('a start that is called off ends well and leaves nothing half-made', async () => {
    const DATA_DIR = await makeDataDir()
    await using service = startService('main', { DATA_DIR })
    await service.logged('making the database')
    service.kill('SIGINT')
    expect(await service.exited).toEqual(clean)
    expect(service.errors()).toBe('')
    expect(await readdir(DATA_DIR)).toEqual([])
  })
})

const clean = { code: 0, signal: null }
const keysCreate = ['keys', 'create', '--name', 'ci', '--scopes', 'all:*']
const secretKey = () => randomBytes(32).toString('base64')
const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } })

/** A POST whose body is still to come; resolves once the server has read its head and waits. */
async function beginRequest(address: string, key: string) {
  const { hostname, port } = new URL(address)
  const body = JSON.stringify({ name: 'under way', scopes: ['leads:read'] })
  const socket = connectSocket(Number(port), hostname)
  socket.on('error', () => undefined)
  socket.write(
    `POST /oauth/service-accounts HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${key}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`,
  )
  await once(socket, 'data')
  return {
    async finish() {
      socket.write(body)
      return text(socket)
    },
    abandon: () => socket.destroy(),
  }
}
