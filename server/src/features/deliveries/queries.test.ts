import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { firstIdAt } from '../../kernel/ids.ts'
import { allBuckets } from '../../kernel/runner/leases.ts'
import { createWorkspace } from '../workspaces/index.ts'
import { findDueFanouts } from './cross-workspace.ts'
import { markInFlight } from './lane-queries.ts'
import { findPending, listEventsBetween } from './queries.ts'

let ctx: TestContext
beforeAll(async () => {
  ctx = await testContext()
})
afterAll(() => ctx[Symbol.asyncDispose]())

test('of a campaign without events nothing is replayed, and of an unknown lane nothing is pending', async () => {
  const { id } = await createWorkspace(ctx, 'empty')
  const [first, last] = [firstIdAt(new Date(0)), ctx.newId()]
  const filter = { type: null, campaign: ctx.newId() }
  expect(await listEventsBetween(ctx.db, id, filter, first, last, 10)).toEqual([])
  const [webhookId, deliveryId] = [ctx.newId(), ctx.newId()]
  await markInFlight(ctx.db, id, webhookId, deliveryId)
  expect(await findPending(ctx.db, id, webhookId, deliveryId)).toBeUndefined()
})

test('fan-outs are found in turn by workspace, however many of one fell due before', async () => {
  const [large, small] = [ctx.newId(), ctx.newId()]
  const insert = (workspace_id: string, due_at: Date, count: number) =>
    ctx.db
      .insertInto('fanouts')
      .values(
        Array.from({ length: count }, () => ({
          ...{ workspace_id, event_id: ctx.newId(), bucket: 0, webhook_ids: [ctx.newId()] },
          ...{ due_at, expires_at: due_at },
        })),
      )
      .execute()
  await insert(large, new Date(0), 50)
  await insert(small, ctx.now(), 1)
  const found = await findDueFanouts(ctx.database.db, allBuckets, ctx.now(), 3)
  expect(found.map(({ workspace_id }) => workspace_id)).toEqual([large, small, large])
})
