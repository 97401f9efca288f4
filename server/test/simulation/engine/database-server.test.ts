import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { captureStatements } from '../../../src/kernel/db/client.ts'
import type { Backend } from './backends.ts'
import { openSimulationDatabase, type SimulationDatabase } from './database.ts'
import { DatabaseServer } from './database-server.ts'

const seedRows = `
  create table boxes (name text primary key, content integer not null);
  insert into boxes values ('a', 0), ('b', 0);`

let database: SimulationDatabase
beforeAll(async () => {
  captureStatements(undefined)
  database = await openSimulationDatabase({ seedRows })
})
afterAll(() => database[Symbol.asyncDispose]())

let server: DatabaseServer
/** What was executed, in order. */
let executed: string[]
beforeEach(async () => {
  await database.clear()
  server = new DatabaseServer(database.backends, () => new Date(0))
  executed = []
})

interface Session {
  backend: Backend
  run: (text: string, values?: unknown[]) => Promise<void>
  add: (name: string) => Promise<void>
}

async function open(label: string): Promise<Session> {
  const backend = await database.backends.open()
  const run = (text: string, values: unknown[] = []) =>
    server.execute({
      ...{ backend, text, values },
      executed: async ({ error }) => {
        const { code = 'done' } = (error ?? {}) as { code?: string }
        executed.push(`${label}: ${text.split(' ')[0]} ${code}`)
      },
    })
  const add = (name: string) =>
    run('update boxes set content = content + 1 where name = $1', [name])
  return { backend, run, add }
}

test('of several that wait for one row each goes on alone, in the order they came', async () => {
  const [first, ...others] = [await open('1'), await open('2'), await open('3'), await open('4')]
  await first?.run('begin')
  await first?.add('a')
  for (const { run, add } of others) {
    await run('begin')
    await add('a')
  }
  expect(others.every(({ backend }) => server.isParked(backend))).toBe(true)
  executed = []
  for (const { run } of [first as Session, ...others]) await run('commit')
  expect(executed).toEqual([
    ...['1: commit done', '2: update done'],
    ...['2: commit done', '3: update done'],
    ...['3: commit done', '4: update done'],
    '4: commit done',
  ])
  const { rows } = await database.admin.query(`select content from boxes where name = 'a'`)
  expect(rows).toEqual([{ content: 4 }])
})

test('whoever closes a circle gets the deadlock, at once and every time', async () => {
  for (let round = 0; round < 20; round++) {
    const [one, two] = [await open('1'), await open('2')]
    executed = []
    for (const { run } of [one, two]) await run('begin')
    await one.add('a')
    await two.add('b')
    await one.add('b')
    expect(server.isParked(one.backend)).toBe(true)
    await two.add('a')
    // The error gave the lock on b back: the first goes on by itself.
    expect(executed.slice(4)).toEqual(['2: update 40P01', '1: update done'])
    for (const { run } of [one, two]) await run('rollback')
    for (const { backend } of [one, two]) database.backends.keep(backend)
  }
})

test('a circle through one that was taken back is a deadlock too', async () => {
  const [one, two, three] = [await open('1'), await open('2'), await open('3')]
  for (const { run } of [one, two, three]) await run('begin')
  await one.add('a')
  await three.add('b')
  await two.add('a')
  // Waits for the first behind the second, and is taken back from the server.
  await three.add('a')
  expect(server.isParked(three.backend)).toBe(true)
  executed = []
  await one.add('b')
  expect(executed).toEqual(['1: update 40P01', '2: update done'])
})

test('a failed statement is over when its locks are free', async () => {
  const { run, backend } = await open('1')
  for (let round = 0; round < 10; round++) {
    await run('begin')
    // With so many it takes a while to give them back, after the error was sent.
    await run('select pg_advisory_xact_lock(n) from generate_series(1, $1) n', [8_000])
    await run('select 1 / $1::integer', [0])
    const { rows } = await database.admin.query(
      `select count(*)::int from pg_locks where pid = $1 and locktype = 'advisory'`,
      [backend.pid],
    )
    expect(rows).toEqual([{ count: 0 }])
    await run('rollback')
  }
})

test('a session that was ended holds nothing any more', async () => {
  const [one, two] = [await open('1'), await open('2')]
  await one.run('begin')
  await one.add('a')
  await two.add('a')
  expect(server.isParked(two.backend)).toBe(true)
  await server.terminate(one.backend)
  expect(executed.at(-1)).toBe('2: update done')
})
