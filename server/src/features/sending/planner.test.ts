// Also runs on PostgreSQL 15: plans.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { testContext } from '../../../test/context.ts'
import type { AnyDb } from '../../kernel/db/db.ts'
import { findSendable } from './claim/claim-queries.ts'
import type { ClaimRequest } from './ledger.ts'
import { settleSent } from './settle/settle-queries.ts'
import { type Mark, markTransmitting } from './transmit/mark-queries.ts'

/** The plan that a statement keeps whatever it is asked for, made while its tables were empty. */
async function keptPlan(name: string, parameters: number, run: (db: AnyDb) => Promise<unknown>) {
  await using ctx = await testContext()
  await sql`vacuum analyze sends`.execute(ctx.db)
  return await ctx.db.transaction().execute(async (db) => {
    await sql`select set_config('plan_cache_mode', 'force_generic_plan', true)`.execute(db)
    await run(db)
    const nulls = sql.raw(Array.from({ length: parameters }, () => 'null').join())
    const { rows } = await sql<{ 'QUERY PLAN': string }>`
      explain (costs off) execute ${sql.raw(name)}(${nulls})`.execute(db)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  })
}

const id = '019a9d5e-0000-7c31-9d0a-5e1f6a2b3c4d'
const at = new Date('2026-11-02T09:00:00Z')
const keys = { workspace_id: id, lead_id: id, step_id: id, id, campaign_id: id, mailbox_id: id }
const versions = { until: at, after_step_id: null, campaign_version: at, mailbox_version: at }

test('mails in a ledger that vacuum has seen empty are settled by their keys', async () => {
  const attempts = Array.from({ length: 300 }, () => keys)
  const plan = await keptPlan('settle_sent', 5, (db) => settleSent(db, attempts, at))
  expect(plan).toMatch(/Index Scan using sends_pkey/)
  expect(plan).toMatch(/lead_id = k.lead_id/)
  expect(plan).not.toMatch(/Hash|Merge|Seq Scan/)
})

const request = { ...keys, ...versions } as ClaimRequest
const mark: Mark = { ...keys, ...versions, attempt: 1, subject: 'Hello', starts_thread: true }

test.each([
  [
    'claimed',
    () =>
      keptPlan('find_sendable', 12, (db) =>
        findSendable(db, [request], at, { readSince: at, epoch: 0 }),
      ),
  ],
  ['marked', () => keptPlan('mark_transmitting', 14, (db) => markTransmitting(db, [mark], at, at))],
])(
  'a mail is %s by the keys of the ledger, also by a plan of when that was empty',
  async (_what, explain) => {
    const plan = await explain()
    const scans = plan.split('\n').filter((line) => /Scan .*\bsends/.test(line))
    expect(scans.length).toBeGreaterThan(1)
    expect(scans.filter((scan) => !scan.includes('using sends_pkey'))).toEqual([])
    expect(plan).toMatch(/workspace_id = k.workspace_id\) AND \(lead_id = k.lead_id\)/)
  },
)
