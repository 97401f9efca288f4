import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { testContext } from '../../test/context.ts'
import { clockJudge } from './judge-clocks.ts'

test('a clock of the database that was put back is told once for as long as it lasts', async () => {
  await using ctx = await testContext()
  const { peek } = ctx.database
  await sql`
    insert into instance (id, secret_key_id, timestamp_created)
    select ${ctx.newId()}::uuid, 'none', now()
    where not exists (select from instance)`.execute(peek)
  const putClock = (by: string) =>
    sql`
      create or replace function outrider_now() returns timestamptz language sql stable
      as ${sql.lit(`select statement_timestamp() + interval '${by}'`)}`.execute(peek)
  const told = () => ctx.logLines.filter((line) => line.includes('clock_behind'))
  const judge = clockJudge(ctx)
  await putClock('1 hour')
  await judge()
  expect(told()).toEqual([])
  await putClock('1 minute')
  await judge()
  await judge()
  expect(told()).toEqual([expect.stringContaining('59 min behind')])
  await putClock('61 minutes')
  await judge()
  await putClock('0 minutes')
  await judge()
  expect(told()).toHaveLength(2)
})
