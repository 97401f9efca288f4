// Also runs on PostgreSQL 15: what the server says of its errors.
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '../../../test/database.ts'
import { startTcpProxy } from '../../../test/mail/tcp-proxy.ts'
import { startTcpServer } from '../../../test/tcp-server.ts'
import { toAppError } from '../http/error-reply.ts'
import { connect } from './db.ts'
import { databaseReadOnly, describeFailure, isAboutData } from './failure.ts'
import { pauseAfter, ReconnectGate } from './reconnect.ts'
import type { DatabaseTimeouts } from './timeouts.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  await database.pool.query('create table counters (id int primary key, value int)')
  await database.pool.query('insert into counters values (1, 0), (2, 0)')
})
afterAll(() => database[Symbol.asyncDispose]())

/** Plain connections: what is done here is no statement of the application. */
async function open() {
  const client = new pg.Client({ connectionString: database.url })
  client.on('error', () => undefined)
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

const failureOf = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error) => error,
  )

async function withPool(
  timeouts: DatabaseTimeouts,
  work: (pool: ReturnType<typeof connect>['pool']) => Promise<unknown>,
  url = database.url,
) {
  const { db, pool } = connect(url, 1, timeouts)
  const failure = await failureOf(work(pool))
  await db.destroy()
  return failure
}

/** The address of the same database on another port, or for another user. */
const elsewhere = (change: (url: URL) => void) => {
  const url = new URL(database.url)
  change(url)
  return url.href
}
const update = (id: number) => `update counters set value = value + 1 where id = ${id}`
const connectMs = 1000
const askOnce = (url: string) => withPool({ connectMs }, (pool) => pool.query('select 1'), url)

async function asRole(options: string) {
  const role = `limited_${randomBytes(4).toString('hex')}`
  await database.pool.query(`create role ${role} password 'secret' ${options}`)
  const failure = await askOnce(
    elsewhere((to) => Object.assign(to, { username: role, password: 'secret' })),
  )
  await database.pool.query(`drop role ${role}`)
  return failure
}

const busy = /too busy/
const unreachable = /not reachable/
const failures: [string, RegExp, () => Promise<unknown>][] = [
  [
    'a statement that takes too long',
    busy,
    () => withPool({ connectMs, statementMs: 50 }, (pool) => pool.query('select pg_sleep(60)')),
  ],
  [
    'a lock that is not to be had',
    busy,
    async () => {
      await using holder = await open()
      await holder.query(`begin; ${update(1)}`)
      return await withPool({ connectMs, lockMs: 50 }, (pool) => pool.query(update(1)))
    },
  ],
  [
    'a deadlock',
    busy,
    async () => {
      await using one = await open()
      await using other = await open()
      for (const client of [one, other]) await client.query(`set deadlock_timeout = '10ms'`)
      await one.query(`begin; ${update(1)}`)
      await other.query(`begin; ${update(2)}`)
      const both = [failureOf(one.query(update(2))), failureOf(other.query(update(1)))]
      const first = await Promise.race(both)
      if (first) return first
      return (await Promise.all(both)).find((error) => error !== undefined)
    },
  ],
  [
    'a serialisation failure',
    busy,
    async () => {
      await using one = await open()
      await one.query('begin isolation level repeatable read; select value from counters')
      await database.pool.query(update(1))
      return await failureOf(one.query(update(1)))
    },
  ],
  [
    'a pool without a free connection',
    unreachable,
    () =>
      withPool({ connectMs: 50 }, async (pool) => {
        const taken = await pool.connect()
        await pool.query('select 1').finally(() => taken.release())
      }),
  ],
  ['too many connections', unreachable, () => asRole('login connection limit 0')],
  ['a user who may not connect', unreachable, () => asRole('nologin')],
  [
    'a database that is not there',
    unreachable,
    () => askOnce(elsewhere((to) => Object.assign(to, { pathname: '/none_of_this_name' }))),
  ],
  [
    'a database that takes no connections',
    unreachable,
    () => askOnce(elsewhere((to) => Object.assign(to, { pathname: '/template0' }))),
  ],
  [
    'a session that the server ends',
    unreachable,
    () =>
      withPool({ connectMs }, async (pool) => {
        const client = await pool.connect()
        const { rows } = await client.query('select pg_backend_pid() as pid')
        const asked = client.query('select pg_sleep(60)')
        const end = database.pool.query(`select pg_terminate_backend(${rows[0].pid})`)
        await Promise.all([asked, end]).finally(() => client.release())
      }),
  ],
  [
    'a connection that breaks in the middle of a statement',
    unreachable,
    async () => {
      await using proxy = await startTcpProxy(Number(new URL(database.url).port))
      const url = elsewhere((to) => Object.assign(to, { port: String(proxy.port) }))
      const asked = async (pool: ReturnType<typeof connect>['pool']) => {
        await pool.query('select 1')
        const answer = pool.query('select pg_sleep(60)')
        setImmediate(() => proxy.drop())
        await answer
      }
      return await withPool({ connectMs }, asked, url)
    },
  ],
  [
    'a server that is not there',
    unreachable,
    () => askOnce(elsewhere((to) => Object.assign(to, { port: '1' }))),
  ],
  [
    'a server that takes the connection and says nothing',
    unreachable,
    async () => {
      await using server = await startTcpServer(() => undefined)
      const url = elsewhere((to) => Object.assign(to, { port: String(server.port) }))
      return await withPool({ connectMs: 50 }, (pool) => pool.query('select 1'), url)
    },
  ],
  [
    'a server that takes no changes any more',
    /takes no changes/,
    () =>
      withPool({ connectMs }, async (pool) => {
        const client = await pool.connect()
        await client.query(`begin read only; ${update(1)}`).finally(() => client.release(true))
      }),
  ],
  [
    'a full disk',
    /storage of the database is full/,
    () =>
      failureOf(
        database.pool.query(`do $$ begin raise exception using errcode = 'disk_full'; end $$`),
      ),
  ],
]

test.each(failures)('%s is a 503 that says when to ask again', async (_what, sentence, fail) => {
  const { code, status, message, headers } = toAppError(await fail())
  expect({ code, status, message }).toEqual({
    ...{ code: 'unavailable', status: 503 },
    message: expect.stringMatching(sentence),
  })
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
})

test('what the database refuses and what is wrong in the program stay a 500', async () => {
  for (const error of [
    await failureOf(database.pool.query('insert into counters values (1, 0)')),
    await failureOf(database.pool.query('select nothing_of_this_name')),
    new TypeError('x is undefined'),
    new Error('anything'),
  ]) {
    expect(error).toBeInstanceOf(Error)
    expect(toAppError(error).status).toBe(500)
  }
})

test('after a failure one connection is tried at a time, with pauses, and others fail at once', async () => {
  let nowMs = 0
  let attempts = 0
  const gate = new ReconnectGate(() => nowMs)
  const refused = new Error('refused')
  const fail = () => {
    attempts += 1
    return Promise.reject(refused)
  }
  const crowd = () => Promise.all(Array.from({ length: 50 }, () => failureOf(gate.pass(fail))))
  await crowd()
  expect(attempts).toBe(50)
  // Ten minutes of a crowd that asks again every 50 ms.
  for (; nowMs < 600_000; nowMs += 50)
    await Promise.all([1, 2].map(() => failureOf(gate.pass(fail))))
  expect(attempts).toBeGreaterThan(50 + 290)
  expect(attempts).toBeLessThan(50 + 620)
  nowMs += 2000
  expect(await gate.pass(async () => 'connected')).toBe('connected')
  expect(await Promise.all([1, 2].map(() => gate.pass(async () => 'connected')))).toHaveLength(2)
})

test('of a database that takes no changes the log has the cause, and no stack', () => {
  const described = describeFailure(databaseReadOnly(), { databaseUrl: database.url })
  const cause = expect.stringContaining('has to lead to the primary')
  expect(described).toEqual({ code: '25006', cause })
})

test('pauses before a reconnect grow to 2 s, and each process draws its own', () => {
  const drawn = (failures: number) => [0, 1].map((chance) => pauseAfter(failures, () => chance))
  expect([1, 2, 5, 6, 100].map(drawn)).toEqual([
    [50, 100],
    [100, 200],
    [800, 1600],
    [1000, 2000],
    [1000, 2000],
  ])
})

test('what a check forbids is about the data, and a partition that is missing is not', async () => {
  const { pool } = database
  await pool.query('create table cut (id int check (id > 0)) partition by range (id)')
  await pool.query('create table cut_to_9 partition of cut for values from (0) to (10)')
  const insert = (id: number) => failureOf(pool.query('insert into cut values ($1)', [id]))
  expect(isAboutData(await insert(0))).toBe(true)
  const missing = await insert(10)
  expect(missing).toMatchObject({ code: '23514' })
  expect(isAboutData(missing)).toBe(false)
})
