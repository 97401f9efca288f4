// Also runs on PostgreSQL 15: partitions are dropped.
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { asService, type TestContext, testContext } from '../../../test/context.ts'
import { insertAttempt, insertEvent } from '../../../test/webhook-event-rows.ts'
import { inWorkspace } from '../../kernel/context.ts'
import { dropPartition, listPartitions } from '../../kernel/db/partitions.ts'
import { firstIdAt } from '../../kernel/ids.ts'
import { ensurePartitions } from '../../partitions.ts'
import { operator } from '../audit/index.ts'
import { getWebhookEvent } from '../webhooks/history/history.ts'
import { createWebhook } from '../webhooks/webhooks.ts'
import { createWorkspace } from '../workspaces/index.ts'
import { replayDelivery } from './replay.ts'
import { dropOldPartitions, historyTables, keepReplayed } from './retention.ts'

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
  await keepReplayed(
    { ...inWorkspace(asService(ctx), workspace), db: replaying as never },
    [event.id],
    times.expires_at,
  )
  let isOver = false
  const dropping = dropOldPartitions(ctx).finally(() => {
    isOver = true
  })
  while (!isOver && (await ctx.database.countWaiting('"events')) === 0) await Promise.resolve()
  await replaying.commit().execute()
  await dropping
  expect(await peek.selectFrom('events').select('id').execute()).toHaveLength(1)
})

/** An event that was attempted on its day, replayed so many days later, and attempted until it expires. */
async function replayAfter(days: number) {
  const { id: workspaceId } = await createWorkspace(asService(ctx), 'Acme')
  const own = inWorkspace(asService(ctx), workspaceId)
  const target = { target_hook_url: 'https://crm.example.com/in', event_type: 'all_events' }
  const input = { name: 'CRM', ...target }
  const { id: webhook_id } = await createWebhook(own, workspaceId, input, operator)
  const event_id = ctx.newId()
  await insertEvent(own.db, workspaceId, event_id, { of: 'the event' })
  const { id: attemptId } = await insertAttempt(ctx, workspaceId, { webhook_id, event_id })
  const again = async () => {
    await replayDelivery(own, { workspaceId, webhookId: webhook_id }, { attemptId })
    await ctx.database.peek.deleteFrom('deliveries').execute()
  }
  ctx.clock.advance(days * day)
  await ensurePartitions(ctx)
  await again()
  // Nothing is written for one more on the same day.
  const { peek } = ctx.database
  const noted = () => sql`select xmin, xmax, * from replayed_weeks`.execute(peek)
  const { rows } = await noted()
  await again()
  expect((await noted()).rows).toEqual(rows)
  ctx.clock.advance(3 * day)
  const { id } = await insertAttempt(ctx, workspaceId, { webhook_id, event_id })
  return { isNoted: rows.length > 0, read: () => getWebhookEvent(own, workspaceId, id) }
}

test.each([2, 5, 13, 25, 37])(
  'an attempt of a replay after %s days shows its payload as long as any attempt',
  async (days) => {
    const { isNoted, read } = await replayAfter(days)
    expect(isNoted).toBe(days > 3)
    for (let passed = 0; passed <= 30; passed += 5) {
      await dropOldPartitions(ctx)
      expect(await read()).toMatchObject({ payload: { of: 'the event' } })
      ctx.clock.advance(5 * day)
    }
    // Neither outlives it for long, nor what says that they are needed.
    ctx.clock.advance(13 * day)
    await dropOldPartitions(ctx)
    await expect(read()).rejects.toThrow('No such webhook event')
    const { peek } = ctx.database
    expect(await peek.selectFrom('events').select('id').execute()).toEqual([])
    expect(await peek.selectFrom('replayed_weeks').selectAll().execute()).toEqual([])
  },
)

test('a partition goes though somebody begins to read its table meanwhile', async () => {
  const { peek } = ctx.database
  const events = { name: 'events', by: 'week' } as const
  const [oldest] = await listPartitions(ctx.db, events)
  if (!oldest) throw new Error('There is no partition.')
  let reading: Promise<unknown> | undefined
  const isNeeded = async () => {
    reading = peek.selectFrom('events').select('id').execute()
    await ctx.database.untilWaiting(1, '"events"')
    return false
  }
  expect(await dropPartition(asService(ctx).db, events, oldest, isNeeded)).toBe(true)
  await reading
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
