import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { firstIdAt } from '../../kernel/ids.ts'
import { createWorkspace } from '../workspaces/index.ts'
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
