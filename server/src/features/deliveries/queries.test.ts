import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { firstIdAt } from '../../kernel/ids.ts'
import { allBuckets } from '../../kernel/runner/leases.ts'
import { createWorkspace } from '../workspaces/index.ts'
import { countBacklogFull, findDueFanouts } from './cross-workspace.ts'
import { markInFlight, unmarkInFlight } from './lane-queries.ts'
import { findPending } from './queries.ts'
import { type EventsRead, listEventsBetween } from './replay-queries.ts'

let ctx: TestContext
beforeAll(async () => {
  ctx = await testContext()
})
afterAll(() => ctx[Symbol.asyncDispose]())

test('of a campaign without events nothing is replayed, and of an unknown lane nothing is pending', async () => {
  const { id } = await createWorkspace(ctx, 'empty')
  const [first, last] = [firstIdAt(new Date(0)), ctx.newId()]
  const filter = { type: null, campaign: ctx.newId() }
  const window = { after: first, before: last }
  expect(await listEventsBetween(ctx.db, id, filter, window, { most: 10, readMax: 10 })).toEqual({
    ids: [],
    position: null,
  })
  const [webhookId, deliveryId] = [ctx.newId(), ctx.newId()]
  await markInFlight(ctx.db, id, webhookId, deliveryId)
  expect(await findPending(ctx.db, id, webhookId, deliveryId)).toBeUndefined()
})

test('a request takes back its own mark, and not the one that the next owner of the lane has made', async () => {
  const { id: workspace_id } = await createWorkspace(ctx, 'marks')
  const [webhook_id, ours, theirs] = [ctx.newId(), ctx.newId(), ctx.newId()]
  await ctx.db.insertInto('webhook_lanes').values({ workspace_id, webhook_id }).execute()
  await markInFlight(ctx.db, workspace_id, webhook_id, theirs)
  const marked = () =>
    ctx.db
      .selectFrom('webhook_lanes')
      .select('in_flight_id')
      .where('workspace_id', '=', workspace_id)
      .where('webhook_id', '=', webhook_id)
      .executeTakeFirst()
  await unmarkInFlight(ctx.db, workspace_id, webhook_id, ours)
  expect(await marked()).toEqual({ in_flight_id: theirs })
  await unmarkInFlight(ctx.db, workspace_id, webhook_id, theirs)
  expect(await marked()).toEqual({ in_flight_id: null })
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

test('events of a type are found in steps of a bounded number, and each is found once', async () => {
  const { id: workspace_id } = await createWorkspace(ctx, 'rare')
  const rows = ['email.sent', 'email.sent', 'mailbox.error', 'email.sent', 'mailbox.error'].map(
    (type) => ({ workspace_id, id: ctx.newId(), type, body: '{}' }),
  )
  await ctx.db.insertInto('events').values(rows).execute()
  const ids = rows.map(({ id }) => id)
  const before = ctx.newId()
  const read = async (type: string | null, limits: { most: number; readMax: number }) => {
    const steps: string[][] = []
    let after: string | null = firstIdAt(new Date(0))
    while (after !== null) {
      const window = { after, before }
      const filter = { type, campaign: null }
      const found: EventsRead = await listEventsBetween(
        ctx.db,
        workspace_id,
        filter,
        window,
        limits,
      )
      steps.push(found.ids)
      after = found.position
    }
    return steps
  }
  expect(await read('mailbox.error', { most: 10, readMax: 2 })).toEqual([[], [ids[2]], [ids[4]]])
  expect(await read(null, { most: 3, readMax: 4 })).toEqual([ids.slice(0, 3), ids.slice(3)])
})

test('what ended as backlog_full is counted, up to a limit', async () => {
  const { id: workspace_id } = await createWorkspace(ctx, 'full')
  const since = new Date(ctx.now().getTime() - 86_400_000)
  const endWith = (error_message: string, count: number) =>
    ctx.database.peek
      .insertInto('webhook_events')
      .values(
        Array.from({ length: count }, () => ({
          ...{ workspace_id, id: ctx.newId(), webhook_id: ctx.newId(), webhook_url: 'x' },
          ...{ event_id: ctx.newId(), event_type: 'lead.lost', retry_group_id: ctx.newId() },
          ...{ retry_count: 0, success: false, will_retry: false, error_message },
        })),
      )
      .execute()
  await endWith('backlog_full', 3)
  await endWith('expired', 5)
  expect(await countBacklogFull(ctx.database.db, since, 4)).toBe(3)
  await endWith('backlog_full', 3)
  expect(await countBacklogFull(ctx.database.db, since, 4)).toBe(4)
})
