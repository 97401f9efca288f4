import pg from 'pg'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import {
  captureStatements,
  NamedClient,
  registerPrepared,
  setPreparedStatements,
} from './client.ts'

const hot = 'select $1::int + 1 as next'
registerPrepared('next', hot)

let pool: pg.Pool
beforeEach(() => {
  pool = new pg.Pool({ Client: NamedClient, connectionString: inject('postgresUrl'), max: 1 })
})
afterEach(async () => {
  setPreparedStatements(true)
  captureStatements(undefined)
  await pool.end()
})

const preparedNames = async () =>
  (await pool.query<{ name: string }>('select name from pg_prepared_statements order by name')).rows

test('a registered text is prepared under its name, in every form of the call', async () => {
  expect((await pool.query(hot, [1])).rows).toEqual([{ next: 2 }])
  expect((await pool.query({ text: hot, values: [2] })).rows).toEqual([{ next: 3 }])
  const client = await pool.connect()
  expect((await client.query<{ next: number }>(hot, [3])).rows).toEqual([{ next: 4 }])
  const row = await new Promise((resolve, reject) => {
    client.query(hot, [4], (error, result) => (error ? reject(error) : resolve(result.rows[0])))
  })
  expect(row).toEqual({ next: 5 })
  client.release()
  expect(await preparedNames()).toEqual([{ name: 'next' }])
})

test('other texts, and all texts when switched off, are sent without a name', async () => {
  setPreparedStatements(false)
  expect((await pool.query(hot, [1])).rows).toEqual([{ next: 2 }])
  setPreparedStatements(true)
  await pool.query('select $1::int', [1])
  expect(await preparedNames()).toEqual([])
})

test('a failing named statement leaves its connection usable', async () => {
  await expect(pool.query(hot, ['x'])).rejects.toMatchObject({ code: '22P02' })
  expect((await pool.query(hot, [1])).rows).toEqual([{ next: 2 }])
})

test('every text that is sent is reported, until the capture ends', async () => {
  const texts: string[] = []
  captureStatements((text) => texts.push(text))
  await pool.query(hot, [1])
  await pool.query({ text: 'select 2' })
  const client = await pool.connect()
  await client.query('begin')
  await client.query(new pg.Query('select 3'))
  await client.query('commit')
  client.release()
  captureStatements(undefined)
  await pool.query('select 4')
  expect(texts).toEqual([hot, 'select 2', 'begin', 'select 3', 'commit'])
})

test('a name stands for one text and a text has one name', () => {
  registerPrepared('next', hot)
  expect(() => registerPrepared('next', 'select 2')).toThrow(/Two statements are named next/)
  expect(() => registerPrepared('after', hot)).toThrow(/already named next/)
})
