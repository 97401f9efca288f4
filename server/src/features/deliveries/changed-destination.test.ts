import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { asService } from '../../../test/context.ts'
import { type Delivering, testDelivering } from '../../../test/delivering.ts'
import { answerWith, type Receiver, startReceiver } from '../../../test/receiver.ts'
import { verifySignature } from '../../../test/signature.ts'
import { inWorkspace } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { bucketOf } from '../../kernel/runner/leases.ts'
import { eraseLead } from '../erasure/index.ts'
import { clearLaneHealth, lockLane } from './lane-health/index.ts'
import { Lanes } from './lanes.ts'

let service: Delivering
let before: Receiver
let after: Receiver
let webhook: { id: string; signing_secret: string }
let lanes: Lanes

beforeEach(async () => {
  service = await testDelivering()
  await service.runner.stop()
  // No time passes for the runner: what it has read of the destination never gets old by itself.
  service.ctx.monotonicMs = () => 0
  before = await startReceiver()
  after = await startReceiver()
  webhook = await service.createWebhook(before.url, { headers: { 'x-version': 'old' } })
  lanes = new Lanes(service.ctx, { countStripe: 0, holds: () => true })
  // The runner has met the destination as it was.
  await deliver(before)
})
afterEach(async () => {
  await lanes.drain([bucketOf(webhook.id)], 1000)
  await service[Symbol.asyncDispose]()
  await before[Symbol.asyncDispose]()
  await after[Symbol.asyncDispose]()
})

async function deliver(receiver: Receiver) {
  const [id] = await service.emit()
  lanes.wake(service.workspaceId, webhook.id)
  const request = await receiver.next()
  expect(request.headers['webhook-id']).toBe(id)
  return request
}

async function change(body: object) {
  const answer = await service.call('PATCH', `/api/v2/webhooks/${webhook.id}`, { body })
  expect(answer.status).toBe(200)
  return answer.body
}

const verify = (request: Awaited<ReturnType<Receiver['next']>>, secret: string) =>
  verifySignature(secret, request, service.ctx.now())

test('an event made after the answer to a change goes to the new address, with the new headers and secret', async () => {
  const { signing_secret: secret } = await change({
    target_hook_url: after.url,
    headers: { 'x-version': 'new' },
    signing_secret: null,
    signing_secret_overlap_seconds: 0,
  })
  const request = await deliver(after)
  expect(request.headers['x-version']).toBe('new')
  expect(verify(request, secret)).toMatchObject({ event_type: 'lead.interested' })
  expect(() => verify(request, webhook.signing_secret)).toThrow()
  expect(before.requests).toHaveLength(1)
})

test('each of many changes in a row holds for the event that follows it', async () => {
  for (let round = 0; round < 10; round++) {
    const receiver = round % 2 === 0 ? after : before
    await change({ target_hook_url: receiver.url, headers: { 'x-version': `${round}` } })
    expect((await deliver(receiver)).headers['x-version']).toBe(`${round}`)
  }
})

test('the older secret signs until its overlap is over, and not a delivery longer', async () => {
  const { signing_secret: secret } = await change({
    signing_secret: null,
    signing_secret_overlap_seconds: 60,
  })
  const during = await deliver(before)
  expect(verify(during, secret)).toMatchObject({ event_type: 'lead.interested' })
  expect(verify(during, webhook.signing_secret)).toMatchObject({ event_type: 'lead.interested' })

  service.ctx.clock.advance(61_000)
  const afterwards = await deliver(before)
  expect(verify(afterwards, secret)).toMatchObject({ event_type: 'lead.interested' })
  expect(() => verify(afterwards, webhook.signing_secret)).toThrow()
})

test('a change of the type or the campaign holds for every event made after its answer', async () => {
  const deliveriesOf = async (eventIds: string[]) => {
    const rows = await service.ctx.database.peek
      .selectFrom('deliveries')
      .where('event_id', 'in', eventIds)
      .selectAll()
      .execute()
    return rows.length
  }
  await change({ event_type: 'lead.neutral' })
  expect(await deliveriesOf(await service.emit())).toBe(0)
  expect(await deliveriesOf(await service.emit([{ type: 'lead.neutral' }]))).toBe(1)
  const { body: campaign } = await service.call('POST', '/api/v2/campaigns', {
    body: { name: 'another' },
  })
  await change({ campaign: campaign.id })
  expect(await deliveriesOf(await service.emit([{ type: 'lead.neutral' }]))).toBe(0)
})

test('a standby that took over without the last change of a destination is followed', async () => {
  await change({ target_hook_url: after.url, headers: { 'x-version': 'new' } })
  await deliver(after)
  const { peek } = service.ctx.database
  await peek
    .updateTable('webhooks')
    .set({ target_hook_url: before.url, version: sql<string>`version - 1` })
    .execute()
  await deliver(before)
})

test.each<[what: string, happens: () => Promise<unknown>]>([
  ['a change', () => change({ headers: { 'x-version': 'newest' } })],
  ['an erasure', () => eraseLead(service.ctx, 'lead@example.com')],
])('%s on a standby that took over without the last change is followed', async (_, happens) => {
  const { peek } = service.ctx.database
  const { target_hook_url, headers, version } = await peek
    .selectFrom('webhooks')
    .selectAll()
    .executeTakeFirstOrThrow()
  await change({ target_hook_url: after.url, headers: { 'x-version': 'lost' } })
  await deliver(after)
  await peek.updateTable('webhooks').set({ target_hook_url, headers, version }).execute()
  const [id] = await service.emit()
  await happens()
  lanes.wake(service.workspaceId, webhook.id)
  expect((await before.next()).headers['webhook-id']).toBe(id)
})

test('failures on a standby that took over without their end are ended by the next success', async () => {
  const { peek, until } = service.ctx.database
  const row = { workspace_id: service.workspaceId, webhook_id: webhook.id, failures: 20 }
  const failing_since = new Date(service.ctx.now().getTime() - 4 * 86_400_000)
  await peek
    .insertInto('webhook_lanes')
    .values({ ...row, failing_since })
    .execute()
  await deliver(before)
  const lane = () => peek.selectFrom('webhook_lanes').selectAll().executeTakeFirst()
  await until(async () => (await lane())?.failing_since === null)
  expect(await lane()).toMatchObject({ failures: 0 })
})

test('an old address that says it is gone does not disable the new one, which gets its delivery', async () => {
  const held = Promise.withResolvers<void>()
  await using leaving = await startReceiver(async (received, response) => {
    await held.promise
    return answerWith(410)(received, response)
  })
  await change({ target_hook_url: leaving.url })
  const request = await deliver(leaving)
  await change({ target_hook_url: after.url })
  held.resolve()
  const { peek, until } = service.ctx.database
  const gone = () =>
    peek.selectFrom('webhook_events').selectAll().where('status_code', '=', 410).execute()
  await until(async () => (await gone()).length === 1)
  expect(await gone()).toMatchObject([{ webhook_url: leaving.url, will_retry: true }])
  const { body } = await service.call('GET', `/api/v2/webhooks/${webhook.id}`)
  expect(body).toMatchObject({ status: 'active', disabled_reason: null })

  service.ctx.clock.advance(10_000)
  lanes.wake(service.workspaceId, webhook.id)
  const again = await after.next()
  expect(again.headers['webhook-id']).toBe(request.headers['webhook-id'])
})

test('an address that says it is gone while it is being left ends no delivery', async () => {
  await using leaving = await askWhetherGone()
  const { peek, until } = service.ctx.database
  const changing = await peek.startTransaction().execute()
  await changing.updateTable('webhooks').set({ target_hook_url: after.url }).execute()
  leaving.answer()
  await service.ctx.database.untilWaiting()
  await changing.commit().execute()
  const gone = () =>
    peek.selectFrom('webhook_events').selectAll().where('status_code', '=', 410).execute()
  await until(async () => (await gone()).length === 1)
  expect(await gone()).toMatchObject([{ will_retry: true }])
})

test('an address that says it is gone waits for an erasure without keeping the destination from it', async () => {
  await using leaving = await askWhetherGone()
  const { peek, until } = service.ctx.database
  // As an erasure does: the rows of deliveries, and then their destinations.
  const erasing = await peek.startTransaction().execute()
  await erasing.updateTable('deliveries').set({ person_erased: true }).execute()
  leaving.answer()
  await service.ctx.database.untilWaiting()
  const locking = erasing.selectFrom('webhooks').select('id').forUpdate().noWait().execute()
  const [locked] = await Promise.allSettled([locking])
  await erasing.commit().execute()
  expect(locked).toMatchObject({ value: [{ id: webhook.id }] })
  await until(async () => {
    const { body } = await service.call('GET', `/api/v2/webhooks/${webhook.id}`)
    return body.disabled_reason === 'gone'
  })
})

/** An address that was asked, and will say that it is gone. */
async function askWhetherGone() {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const receiver = await startReceiver(async (received, response) => {
    await answered
    return answerWith(410)(received, response)
  })
  await change({ target_hook_url: receiver.url })
  await deliver(receiver)
  return { answer, [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose]() }
}

test('a new address begins without the failures and the pause of the one before', async () => {
  const held = Promise.withResolvers<void>()
  await using leaving = await startReceiver(async (received, response) => {
    if (leaving.requests.length > 2) await held.promise
    return answerWith(500)(received, response)
  })
  const { peek, until } = service.ctx.database
  const failures = () =>
    peek.selectFrom('webhook_events').select('id').where('status_code', '=', 500).execute()
  const lane = () =>
    peek.selectFrom('webhook_lanes').selectAll().where('webhook_id', '=', webhook.id).execute()
  await change({ target_hook_url: leaving.url })
  for (const count of [1, 2]) {
    await deliver(leaving)
    await until(async () => (await failures()).length === count)
  }
  expect(await lane()).toMatchObject([{ failures: 2 }])
  // The third failure, which makes it pause, is of a request that is under way during the change.
  await deliver(leaving)
  const ended = { abandons: 3, in_flight_id: service.ctx.newId() }
  await peek.updateTable('webhook_lanes').set(ended).execute()
  await change({ target_hook_url: after.url })
  expect(await lane()).toMatchObject([{ abandons: 0, in_flight_id: null }])
  held.resolve()
  await until(async () => (await failures()).length === 3)
  expect(await lane()).toMatchObject([{ failures: 0, failing_since: null, not_before: null }])
  await deliver(after)
})

test.each([
  { what: 'the first failure', earlier: 0 },
  { what: 'a further failure', earlier: 1 },
])(
  '$what of an address while it is being left says nothing of the new one',
  async ({ earlier }) => {
    const { ctx, workspaceId } = service
    const { peek, until } = ctx.database
    const held = Promise.withResolvers<void>()
    await using leaving = await startReceiver(async (received, response) => {
      if (leaving.requests.length > earlier) await held.promise
      return answerWith(500)(received, response)
    })
    const failures = () =>
      peek.selectFrom('webhook_events').select('id').where('status_code', '=', 500).execute()
    await change({ target_hook_url: leaving.url })
    // As of a webhook that has never failed.
    await peek.deleteFrom('webhook_lanes').execute()
    for (let count = 1; count <= earlier; count++) {
      await deliver(leaving)
      await until(async () => (await failures()).length === count)
    }
    await deliver(leaving)
    const isSettled = until(async () => (await failures()).length === earlier + 1)
    await transaction(asService(ctx), async (tx) => {
      const { db } = inWorkspace(tx, workspaceId)
      await lockLane(db, workspaceId, webhook.id)
      await db
        .updateTable('webhooks')
        .set({ target_hook_url: after.url })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', webhook.id)
        .execute()
      await clearLaneHealth(db, workspaceId, webhook.id)
      held.resolve()
      await service.ctx.database.untilWaiting()
    })
    await isSettled
    const lane = await peek.selectFrom('webhook_lanes').selectAll().execute()
    expect(lane).toMatchObject([{ failures: 0, failing_since: null, not_before: null }])
  },
)

test('the address that is asked now and says it is gone disables its destination', async () => {
  await using leaving = await startReceiver(answerWith(410))
  await change({ target_hook_url: leaving.url })
  await deliver(leaving)
  await service.ctx.database.until(async () => {
    const { body } = await service.call('GET', `/api/v2/webhooks/${webhook.id}`)
    return body.disabled_reason === 'gone'
  })
})
