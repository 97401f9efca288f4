// Also runs on PostgreSQL 15: COPY.
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import type { AnyDb } from './db.ts'
import { withSession } from './session.ts'
import { transaction } from './transaction.ts'

let ctx: TestContext
beforeAll(async () => {
  ctx = await testContext()
})
afterAll(() => ctx[Symbol.asyncDispose]())

const make = async (db: AnyDb) => {
  await sql`drop table if exists copied`.execute(db)
  await sql`/* session: of this test */ create temporary table copied (a integer, t text)`.execute(
    db,
  )
}
const count = async (db: AnyDb) => (await sql`select from copied`.execute(db)).rows.length
const into = 'copy copied from stdin'

test('rows come in as they are, wherever the chunks are cut', async () => {
  await withSession(ctx.db, async ({ db, copyFrom }) => {
    await make(db)
    const rows = Buffer.from('-5\té雪\\n\n\\N\t\\N\n')
    const chunks = Array.from(rows, (byte) => Buffer.of(byte))
    expect(await copyFrom(into, chunks)).toBe(2)
    const found = await sql`select * from copied order by a`.execute(db)
    expect(found.rows).toEqual([
      { a: -5, t: 'é雪\n' },
      { a: null, t: null },
    ])
  })
})

test('what is copied inside a transaction is undone with it', async () => {
  await withSession(ctx.db, async ({ db, copyFrom }) => {
    const own = { ...ctx, db }
    await make(db)
    const failing = transaction(own, async (tx) => {
      await copyFrom(into, [Buffer.from('1\tx\n')])
      expect(await count(tx.db)).toBe(1)
      throw new Error('undone')
    })
    await expect(failing).rejects.toThrow('undone')
    expect(await count(db)).toBe(0)
  })
})

test('a COPY that is refused leaves the session in order', async () => {
  await withSession(ctx.db, async ({ db, copyFrom }) => {
    await make(db)
    await expect(copyFrom(into, [Buffer.from('nonsense\n')])).rejects.toMatchObject({
      code: '22P02',
    })
    await expect(copyFrom('copy nowhere from stdin', [])).rejects.toMatchObject({ code: '42P01' })
    expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
  })
})

test('what a COPY sends is read as a stream, and the session goes on afterwards', async () => {
  await withSession(ctx.db, async ({ db, copyTo }) => {
    const sent = await text(
      copyTo("copy (select n, 'a,b' from generate_series(1, 3) n) to stdout csv"),
    )
    expect(sent).toBe('1,"a,b"\n2,"a,b"\n3,"a,b"\n')
    expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
  })
})

test('a COPY that cannot be sent is an error of its stream', async () => {
  const reading = withSession(ctx.db, ({ copyTo }) => text(copyTo('copy nowhere to stdout')))
  await expect(reading).rejects.toMatchObject({ code: '42P01' })
})

test('a session that failed is not lent again', async () => {
  const pidOf = async (db: AnyDb) =>
    (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid
  let pid: number | undefined
  const failing = withSession(ctx.db, async ({ db, copyTo }) => {
    pid = await pidOf(db)
    const answer = copyTo('copy (select n from generate_series(1, 1000000) n) to stdout')
    answer.on('error', () => undefined)
    await once(answer, 'readable')
    throw new Error('left')
  })
  await expect(failing).rejects.toThrow('left')
  const later = await Promise.all(Array.from({ length: 10 }, () => pidOf(ctx.db)))
  expect(later).not.toContain(pid)
})

test('a session cannot be had inside a transaction', async () => {
  const within = transaction(ctx, (tx) => withSession(tx.db, async () => undefined))
  await expect(within).rejects.toThrow('A session of its own cannot be had inside a transaction.')
})
