import { expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { createWorkspace } from '../workspaces/index.ts'
import { observeBacklog, readBacklog } from './backlog.ts'

async function insertDelivery(
  ctx: TestContext,
  lateMs: number,
  bucket = 0,
  lane = { workspace_id: ctx.newId(), webhook_id: ctx.newId() },
) {
  const dueAt = new Date(ctx.now().getTime() - lateMs)
  const ids = { ...lane, id: ctx.newId(), event_id: ctx.newId() }
  await ctx.db
    .insertInto('deliveries')
    .values({ ...ids, bucket, due_at: dueAt, expires_at: dueAt })
    .execute()
}

test('the backlog counts what is pending and tells how late the most overdue is', async () => {
  await using ctx = await testContext()
  expect(await readBacklog(ctx)).toEqual({ pending: 0, oldestDueMs: 0 })
  for (const lateMs of [-60_000, 5000, 90_000])
    await insertDelivery(ctx, lateMs, Math.abs(lateMs) % 7)
  expect(await readBacklog(ctx)).toEqual({ pending: 3, oldestDueMs: 90_000 })
})

test('the destinations of an event that is still to be fanned out are pending, those behind it are not counted twice', async () => {
  await using ctx = await testContext()
  const webhook_ids = Array.from({ length: 5 }, () => ctx.newId())
  const dueAt = new Date(ctx.now().getTime() - 30_000)
  await ctx.db
    .insertInto('fanouts')
    .values({
      ...{ workspace_id: ctx.newId(), event_id: ctx.newId(), bucket: 3, webhook_ids },
      ...{ after_webhook_id: webhook_ids[1] ?? null, due_at: dueAt, expires_at: dueAt },
    })
    .execute()
  expect(await readBacklog(ctx)).toEqual({ pending: 3, oldestDueMs: 30_000 })
  expect(await readBacklog(ctx, [4])).toEqual({ pending: 0, oldestDueMs: 0 })
})

test('what waits for a person, or for a destination that fails, is pending, and late for nobody once it is fanned out', async () => {
  await using ctx = await testContext()
  const at = ctx.now()
  type Destination = [status: string, plan_webhooks: boolean, fails: boolean, lateMs: number]
  const destinations: Destination[] = [
    ['active', true, false, 5000],
    ['active', true, true, 900_000],
    ['disabled', true, false, 700_000],
    ['active', false, false, 800_000],
  ]
  let closed = { workspace_id: '', webhook_ids: [''] }
  for (const [n, [status, plan_webhooks, fails, lateMs]] of destinations.entries()) {
    const { id: workspace_id } = await createWorkspace(ctx, `w${n}`)
    await ctx.db
      .updateTable('workspaces')
      .set({ plan_webhooks })
      .where('id', '=', workspace_id)
      .execute()
    const id = ctx.newId()
    await ctx.db
      .insertInto('webhooks')
      .values({
        ...{ workspace_id, id, name: 'w', target_hook_url: 'http://127.0.0.1/', status },
        ...{ event_type: 'all_events', secret: Buffer.from('sealed') },
        ...{ timestamp_created: at, timestamp_updated: at },
      })
      .execute()
    await ctx.db
      .insertInto('webhook_lanes')
      .values({ workspace_id, webhook_id: id, failing_since: fails ? at : null })
      .execute()
    await insertDelivery(ctx, lateMs, 0, { workspace_id, webhook_id: id })
    closed = { workspace_id, webhook_ids: [id] }
  }
  expect(await readBacklog(ctx)).toEqual({ pending: 4, oldestDueMs: 5000 })
  const dueAt = new Date(ctx.now().getTime() - 7000)
  await ctx.db
    .insertInto('fanouts')
    .values({ ...closed, event_id: ctx.newId(), bucket: 0, due_at: dueAt, expires_at: dueAt })
    .execute()
  expect(await readBacklog(ctx)).toEqual({ pending: 5, oldestDueMs: 7000 })
})

test('every scrape tells the backlog of the buckets that this runner owns, and of no other', async () => {
  await using ctx = await testContext()
  const owned: number[] = []
  observeBacklog(ctx, () => owned)
  await insertDelivery(ctx, 5000, 1)
  await insertDelivery(ctx, 90_000, 2)
  expect(await ctx.metrics.text()).toMatch(/^outrider_deliveries_pending 0$/m)
  owned.push(1)
  // One reading serves the scrapes of a second.
  observeBacklog(ctx, () => owned)
  const text = await ctx.metrics.text()
  expect(text).toMatch(/^outrider_deliveries_pending 1$/m)
  expect(text).toMatch(/^outrider_deliveries_oldest_due_seconds 5$/m)
})
