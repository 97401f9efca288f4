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
