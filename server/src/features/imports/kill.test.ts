import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { importer, manyRows } from '../../../test/imports.ts'
import { patience } from '../../../test/patience.ts'
import { makeDataDir, startService } from '../../../test/processes.ts'

const secretKey = randomBytes(32)
let api: TestApi
beforeAll(async () => {
  api = await testApi()
  await api.ctx.useRealTime()
})
afterAll(() => api[Symbol.asyncDispose]())

const rows = 5000

/** A batch waits before its end once so many rows were looked at. */
async function buildGate(row: number) {
  const { peek } = api.ctx.database
  await sql`
    create function wait_at_gate() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(42); return new; end $$`.execute(peek)
  await sql`
    create trigger gate before update on imports
    for each row when (new.row_done > ${sql.lit(row)} and new.row_done > old.row_done)
    execute function wait_at_gate()`.execute(peek)
}

async function waitingAtGate(): Promise<number> {
  const { rows: found } = await sql<{ waiting: number }>`
    select count(*)::int as waiting from pg_locks where locktype = 'advisory' and not granted
      and objid = 42`.execute(api.ctx.database.peek)
  return found[0]?.waiting ?? 0
}

test('kill -9 in the middle of an import: another process ends it, no lead is missing or there twice', async () => {
  const dataDir = await makeDataDir()
  const start = () =>
    startService('runner', {
      ...{ DATABASE_URL: api.ctx.database.url, DATA_DIR: dataDir, LEASE_MS: '1500' },
      OUTRIDER_SECRET_KEY: secretKey.toString('base64'),
    })
  const { body } = await api.call('POST', '/api/v2/campaigns', { body: { name: 'Autumn' } })
  const imports = importer(api)
  const { id } = await imports.send(manyRows(rows), { campaign_id: body.id })
  await buildGate(2500)
  const { peek } = api.ctx.database
  await imports.begin(id)
  await peek.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(42)`.execute(tx)
    await using runner = start()
    await expect.poll(waitingAtGate, patience).toBe(1)
    runner.kill('SIGKILL')
    await runner.exited
  })
  const { row_done, result } = await imports.get(id)
  expect(row_done).toBe(2001)
  expect(result).toMatchObject({ added: 2000 })
  await using runner = start()
  await expect.poll(async () => (await imports.get(id)).state, patience).toBe('finished')
  expect((await imports.get(id)).result).toMatchObject({ rows, added: rows, skipped: {} })
  const { rows: counted } = await sql<{ leads: number; addresses: number }>`
    select count(*)::int as leads, count(distinct email)::int as addresses from leads`.execute(peek)
  expect(counted[0]).toEqual({ leads: rows, addresses: rows })
  expect(runner.logLines.filter(({ level }) => level === 50)).toEqual([])
})
