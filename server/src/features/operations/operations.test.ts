import { expect, test } from 'vitest'
import { testContext } from '../../../test/context.ts'
import { observeOperations, readBacklog } from './index.ts'

test('the backlog counts what is pending and tells how late the most overdue is', async () => {
  await using ctx = await testContext()
  expect(await readBacklog(ctx)).toEqual({ pending: 0, oldestDueMs: 0 })
  const lateMs = [-60_000, 5000, 90_000]
  for (const late of lateMs) await insertDelivery(late)
  expect(await readBacklog(ctx)).toEqual({ pending: 3, oldestDueMs: 90_000 })

  async function insertDelivery(late: number) {
    const dueAt = new Date(ctx.now().getTime() - late)
    const ids = { id: ctx.newId(), webhook_id: ctx.newId(), event_id: ctx.newId() }
    await ctx.db
      .insertInto('deliveries')
      .values({ workspace_id: ctx.newId(), ...ids, bucket: 0, due_at: dueAt, expires_at: dueAt })
      .execute()
  }
})

test('every scrape tells the backlog and the use of the pool', async () => {
  await using ctx = await testContext()
  observeOperations(ctx)
  const text = await ctx.metrics.text()
  expect(text).toMatch(/^outrider_deliveries_pending 0$/m)
  expect(text).toMatch(/^outrider_deliveries_oldest_due_seconds 0$/m)
  expect(text).toMatch(/^outrider_database_connections\{state="waiting"\} \d+$/m)
})
