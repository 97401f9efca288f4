// Also runs on PostgreSQL 15: plans.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { testContext } from '../../../test/context.ts'
import { settleSent } from './settle/settle-queries.ts'

test('mails in a ledger that vacuum has seen empty are settled by their keys', async () => {
  await using ctx = await testContext()
  const id = ctx.newId()
  const attempts = Array.from({ length: 300 }, () => ({
    ...{ workspace_id: id, lead_id: ctx.newId(), step_id: id, id: ctx.newId() },
  }))
  const plan = await ctx.db.connection().execute(async (db) => {
    await sql`vacuum analyze sends`.execute(db)
    // Often enough for a plan that is kept.
    for (let run = 0; run < 6; run++) await settleSent(db, attempts, ctx.now())
    const { rows } = await sql<{ 'QUERY PLAN': string }>`
      explain (costs off) execute settle_sent('{}', '{}', '{}', '{}', null)`.execute(db)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  })
  expect(plan).toMatch(/Index Scan using sends_pkey/)
  expect(plan).toMatch(/lead_id = k.lead_id/)
  expect(plan).not.toMatch(/Hash|Merge|Seq Scan/)
})
