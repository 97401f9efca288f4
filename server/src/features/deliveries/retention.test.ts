// Also runs on PostgreSQL 15: partitions are dropped.
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { listPartitions } from '../../kernel/db/partitions.ts'
import { firstIdAt } from '../../kernel/ids.ts'
import { dropOldPartitions, historyTables } from './retention.ts'

const day = 86_400_000
const workspace = '019a9d5e-0000-7000-8000-000000000001'

let ctx: TestContext
beforeEach(async () => {
  ctx = await testContext({ webhookRetentionDays: 30 })
})
afterEach(() => ctx[Symbol.asyncDispose]())

const countOf = async (name: string) => {
  const table = historyTables.find((candidate) => candidate.name === name)
  return table ? (await listPartitions(ctx.db, table)).length : 0
}

/** One event with a delivery that is pending, both of today. */
async function insertPendingDelivery() {
  const { peek } = ctx.database
  const now = ctx.now()
  const event = { workspace_id: workspace, id: ctx.newId(), type: 'lead.closed', body: '{}' }
  await peek.insertInto('events').values(event).execute()
  const delivery = { bucket: 1, webhook_id: workspace, event_id: event.id, due_at: now }
  await peek
    .insertInto('deliveries')
    .values({ workspace_id: workspace, id: ctx.newId(), ...delivery, expires_at: now })
    .execute()
}

test('attempts go after the retention time, their events a week later', async () => {
  const before = { attempts: await countOf('webhook_events'), events: await countOf('events') }
  ctx.clock.advance(20 * day)
  await dropOldPartitions(ctx)
  expect(await countOf('webhook_events')).toBe(before.attempts)
  // The week in which the clock stood, and the one before it, are over for more than 30 days.
  ctx.clock.advance(24 * day)
  await dropOldPartitions(ctx)
  expect(await countOf('webhook_events')).toBeLessThan(before.attempts)
  const events = await countOf('events')
  expect(events).toBeGreaterThan(await countOf('webhook_events'))
  ctx.clock.advance(7 * day)
  await dropOldPartitions(ctx)
  expect(await countOf('events')).toBeLessThan(events)
})

test('an event with a pending delivery stays, however old', async () => {
  await insertPendingDelivery()
  ctx.clock.advance(365 * day)
  await dropOldPartitions(ctx)
  const { peek } = ctx.database
  expect(await peek.selectFrom('events').select('id').execute()).toHaveLength(1)
  await peek.deleteFrom('deliveries').execute()
  await dropOldPartitions(ctx)
  expect(await peek.selectFrom('events').select('id').execute()).toHaveLength(0)
})

test('an event that is replayed while its partition is about to go stays', async () => {
  const { peek } = ctx.database
  const event = { workspace_id: workspace, id: ctx.newId(), type: 'lead.closed', body: '{}' }
  await peek.insertInto('events').values(event).execute()
  ctx.clock.advance(60 * day)
  const replaying = await peek.startTransaction().execute()
  await replaying.selectFrom('events').selectAll().execute()
  const row = {
    workspace_id: workspace,
    id: ctx.newId(),
    webhook_id: workspace,
    event_id: event.id,
  }
  const times = { due_at: ctx.now(), expires_at: ctx.now() }
  await replaying
    .insertInto('deliveries')
    .values({ ...row, ...times, bucket: 1 })
    .execute()
  let isOver = false
  const dropping = dropOldPartitions(ctx).finally(() => {
    isOver = true
  })
  const waiting = sql`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%"events%'`
  while (!isOver && (await waiting.execute(peek)).rows.length === 0) await Promise.resolve()
  await replaying.commit().execute()
  await dropping
  expect(await peek.selectFrom('events').select('id').execute()).toHaveLength(1)
})

test('a partition in use is left for the next time, and nobody waits for it', async () => {
  const { peek } = ctx.database
  ctx.clock.advance(60 * day)
  const before = await countOf('webhook_events')
  await peek.transaction().execute(async (tx) => {
    await sql`select from webhook_events where id < ${firstIdAt(ctx.now())}::uuid`.execute(tx)
    await dropOldPartitions(ctx)
    expect(await countOf('webhook_events')).toBe(before)
  })
  await dropOldPartitions(ctx)
  expect(await countOf('webhook_events')).toBeLessThan(before)
})

test('counters outlive what they count, up to 400 days; those of webhooks a month', async () => {
  const { peek } = ctx.database
  const row = { workspace_id: workspace, slot: 0, succeeded: '1', failed: '0' }
  const date = ctx.now().toISOString().slice(0, 10)
  await peek
    .insertInto('webhook_event_counts')
    .values({ ...row, date })
    .execute()
  await peek
    .insertInto('webhook_days')
    .values({ ...row, webhook_id: workspace, day: date })
    .execute()
  const count = async (table: 'webhook_event_counts' | 'webhook_days') =>
    (await peek.selectFrom(table).select('succeeded').execute()).length
  ctx.clock.advance(29 * day)
  await dropOldPartitions(ctx)
  expect(await count('webhook_days')).toBe(1)
  ctx.clock.advance(3 * day)
  await dropOldPartitions(ctx)
  expect(await count('webhook_days')).toBe(0)
  ctx.clock.advance(367 * day)
  await dropOldPartitions(ctx)
  expect(await count('webhook_event_counts')).toBe(1)
  ctx.clock.advance(2 * day)
  await dropOldPartitions(ctx)
  expect(await count('webhook_event_counts')).toBe(0)
})
