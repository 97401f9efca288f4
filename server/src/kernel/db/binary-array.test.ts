// Also runs on PostgreSQL 15: the binary format of parameters.
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { textArray, timestampArray } from './binary-array.ts'

let ctx: TestContext

beforeAll(async () => {
  ctx = await testContext()
})
afterAll(() => ctx[Symbol.asyncDispose]())

test('texts of any length and script arrive as they are, nulls and empty ones among them', async () => {
  const text = fc
    .string({ unit: 'binary', maxLength: 300 })
    .map((each) => each.replaceAll('\0', ''))
  const lists = fc.array(fc.option(fc.oneof(text, fc.constant('NULL'), fc.constant('a"\\b'))))
  await fc.assert(
    fc.asyncProperty(lists, async (texts) => {
      const { rows } = await sql<{ value: string | null }>`
        select value from unnest(${textArray(texts)}::text[]) with ordinality as k (value, place)
        order by place`.execute(ctx.db)
      expect(rows.map(({ value }) => value)).toEqual(texts)
    }),
    { numRuns: 100 },
  )
})

test('a time is read the same in every zone of a session, and beyond what a date holds', async () => {
  const times = [
    '2026-11-22 07:38:16.769999+00',
    '0022-01-01 00:00:00+00',
    '2026-06-01 12:00:00+00',
  ]
  for (const zone of ['UTC', 'Asia/Kolkata', 'America/St_Johns']) {
    const { rows } = await ctx.db.transaction().execute(async (db) => {
      await sql`select set_config('timezone', ${zone}, true)`.execute(db)
      return sql<{ time: Date | number }>`
        select k.time from unnest(${[...times, 'infinity']}::timestamptz[]) with ordinality
          as k (time, place)
        order by place`.execute(db)
    })
    expect(rows.map(({ time }) => Number(time))).toEqual([
      ...times.map((text) =>
        Date.parse(`${text.slice(0, 19).replace(' ', 'T')}${text.slice(19, -3)}Z`),
      ),
      Number.POSITIVE_INFINITY,
    ])
  }
})

test('times arrive to the millisecond, before and after the epochs', async () => {
  const span = { min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }
  const lists = fc.array(fc.option(fc.date(span)))
  await fc.assert(
    fc.asyncProperty(lists, async (times) => {
      const { rows } = await sql<{ value: Date | null }>`
        select value from unnest(${timestampArray(times)}::timestamptz[]) with ordinality
          as k (value, place)
        order by place`.execute(ctx.db)
      expect(rows.map(({ value }) => value)).toEqual(times)
    }),
    { numRuns: 100 },
  )
})
