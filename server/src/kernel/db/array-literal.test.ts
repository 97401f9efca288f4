import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { arrayLiteral } from './array-literal.ts'
import { NamedClient } from './client.ts'

let client: NamedClient
beforeAll(async () => {
  client = new NamedClient({ connectionString: inject('postgresUrl') })
  await client.connect()
})
afterAll(() => client.end())

const roundTrip = async (type: string, values: unknown[]) =>
  (await client.query(`select $1::${type}[] as list`, [values])).rows[0].list

test('texts that need escapes come back as they went, and with them the others', async () => {
  const texts = [
    '',
    'NULL',
    'null',
    null,
    ' a ',
    '{a,b}',
    'a"b',
    'a\\b',
    '\\"',
    "'",
    '\n\t',
    'ü😀',
    ',',
  ]
  expect(await roundTrip('text', texts)).toEqual(texts)
})

test('texts without anything to escape come back as they went', async () => {
  const texts = ['', 'NULL', 'null', null, undefined, ' a ', '{a,b}', "'", 'ü😀', ',', '[1]']
  expect(await roundTrip('text', texts)).toEqual(texts.map((text) => text ?? null))
})

test('numbers, booleans, dates and nulls come back as they went', async () => {
  const dates = [new Date(0), null, new Date('2026-11-05T06:07:08.901Z')]
  expect(await roundTrip('integer', [0, -1, null, 2 ** 31 - 1])).toEqual([0, -1, null, 2 ** 31 - 1])
  expect(await roundTrip('float8', [0.1, 1e300, -5e-324])).toEqual([0.1, 1e300, -5e-324])
  expect(await roundTrip('boolean', [true, false, null])).toEqual([true, false, null])
  expect(await roundTrip('timestamptz', dates)).toEqual(dates)
  expect(await roundTrip('float8', [Number.NaN, -Infinity])).toEqual([Number.NaN, -Infinity])
  expect(await roundTrip('text', [])).toEqual([])
})

test('lists in every form of a call are written, and others are left to the driver', async () => {
  const text = 'select $1::text[] as list'
  expect((await client.query({ text, values: [['a"']] })).rows).toEqual([{ list: ['a"'] }])
  const query = new pg.Query(text, [['a"']])
  const row = await new Promise((resolve, reject) => {
    query.on('row', resolve).on('error', reject)
    client.query(query)
  })
  expect(row).toEqual({ list: ['a"'] })
  expect(await roundTrip('bytea', [Buffer.from('a"\\')])).toEqual([Buffer.from('a"\\')])
  expect(arrayLiteral([['nested']])).toBeUndefined()
})
