import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { asService } from '../../../test/context.ts'
import { type Delivering, testDelivering } from '../../../test/delivering.ts'
import { answerWith, startReceiver } from '../../../test/receiver.ts'
import { inWorkspace } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { operator } from '../audit/index.ts'
import { storeEvents } from '../events/index.ts'
import { countMissed, startReplay } from '../webhooks/replays/start-replay.ts'
import { setPlan } from '../workspaces/index.ts'
import { pendingMax } from './backlog.ts'
import { closeBacklog } from './close.ts'
import type { DueDelivery } from './delivery.ts'
import { rowsMax } from './enqueue.ts'
import { type Attempt, enqueueDeliveries, replayDelivery, replayEvents } from './index.ts'
import { Lane } from './lane.ts'

const hour = 3_600_000
const day = 24 * hour

let service: Delivering
beforeAll(async () => {
  service = await testDelivering({ webhookRetryDelaysMs: [50, 50] })
})
afterAll(() => service[Symbol.asyncDispose]())
afterEach(async () => {
  const { body } = await service.call('GET', '/api/v2/webhooks?limit=100')
  for (const { id } of body.items) await service.call('DELETE', `/api/v2/webhooks/${id}`)
})

const peek = () => service.ctx.database.peek
const patch = (id: string, body: object) =>
  service.call('PATCH', `/api/v2/webhooks/${id}`, { body })
const pendingOf = async (id: string) =>
  (await peek().selectFrom('deliveries').select('id').where('webhook_id', '=', id).execute()).length
const reasonsOf = async (id: string) =>
  (await service.attemptsOf(id)).map(
    (attempt) => (attempt as { error_message: string }).error_message,
  )

/** As a change that no lane is told of. */
const setStatus = (id: string, status: 'active' | 'disabled') =>
  peek().updateTable('webhooks').set({ status }).where('id', '=', id).execute()

/** As when its partition is dropped. */
const deleteEvent = (id: string) => peek().deleteFrom('events').where('id', '=', id).execute()

const untilEnded = (id: string, count: number) =>
  service.ctx.database.until(async () => (await service.attemptsOf(id)).length >= count)

describe('a destination that fails', () => {
  const failing = async (days: number, failures: number) => {
    await using receiver = await startReceiver(answerWith(500))
    const { id } = await service.createWebhook(receiver.url)
    await peek()
      .insertInto('webhook_lanes')
      .values({
        workspace_id: service.workspaceId,
        webhook_id: id,
        failures,
        failing_since: new Date(service.ctx.now().getTime() - days * day),
      })
      .execute()
    await service.emit()
    await service.waitForAttempts(id, 1)
    return (await service.call('GET', `/api/v2/webhooks/${id}`)).body
  }

  test('for 5 days and 20 times is disabled as failing, with an audit entry', async () => {
    const webhook = await failing(5.1, 19)
    expect(webhook).toMatchObject({ status: 'disabled', disabled_reason: 'failing' })
    const entries = await peek()
      .selectFrom('audit_log')
      .select(['action', 'actor_type'])
      .where('subject_id', '=', webhook.id)
      .orderBy('id', 'desc')
      .execute()
    expect(entries[0]).toEqual({ action: 'webhook.disabled', actor_type: 'service' })
  })

  test('and is switched off has missed what ended since it failed, and all that came since', async () => {
    await using bad = await startReceiver(answerWith(500))
    await using good = await startReceiver()
    const { ctx, workspaceId } = service
    const { id } = await service.createWebhook(bad.url)
    const ended = await service.emit()
    await service.waitForAttempts(id, 3)
    await patch(id, { status: 'disabled' })
    const later = await service.emit()
    const { from, ended_from, deliveries } = await countMissed(ctx, workspaceId, id)
    expect(deliveries).toBe(2)
    const brief = await countMissed(ctx, workspaceId, id, 0)
    expect(brief).toMatchObject({ deliveries: 1, is_estimate: true, from, ended_from })
    await patch(id, { status: 'active', target_hook_url: good.url })
    const kept = await countMissed(ctx, workspaceId, id)
    expect(kept).toMatchObject({ deliveries: 2, from, ended_from })
    if (!(from && kept.to && ended_from)) throw new Error('It was not switched off.')
    const missed = { from, to: kept.to, endedFrom: ended_from }
    expect(await startReplay(ctx, workspaceId, id, missed, operator)).toBe(2)
    expect(await countMissed(ctx, workspaceId, id)).toMatchObject({ deliveries: 0, from: null })
    const attempts = await service.waitForAttempts(id, 5)
    const arrived = attempts.filter(({ success }) => success).map(({ event_id }) => event_id)
    expect(new Set(arrived)).toEqual(new Set([...ended, ...later]))
  })

  test('and goes on has missed what it had until that is replayed, each time that it was off', async () => {
    await using good = await startReceiver()
    const { ctx, workspaceId } = service
    const by = operator
    const { id } = await service.createWebhook(good.url)
    const missSome = async () => {
      await patch(id, { status: 'disabled' })
      await service.emit()
      ctx.clock.advance(60_000)
      await patch(id, { status: 'active' })
      ctx.clock.advance(60_000)
      return countMissed(ctx, workspaceId, id)
    }
    const first = await missSome()
    expect(first.deliveries).toBe(1)
    // The second is known once the first is replayed.
    expect(await missSome()).toEqual(first)
    const { from, to } = first
    if (!(from && to)) throw new Error('It was not switched off.')
    const half = new Date(from.getTime() + 30_000)
    // Neither what came after, nor its end alone, was all of it.
    await startReplay(ctx, workspaceId, id, { from: to, to: new Date(to.getTime() + 1000) }, by)
    await startReplay(ctx, workspaceId, id, { from: half, to }, by)
    expect(await countMissed(ctx, workspaceId, id)).toEqual(first)
    // Of the rest of it nothing is left to replay.
    await startReplay(ctx, workspaceId, id, { from, to: half }, by)
    const second = await countMissed(ctx, workspaceId, id)
    expect(second.deliveries).toBe(1)
    expect(second.from && second.from >= to).toBe(true)
  })

  test('and is switched off has missed as much once it has a new address', async () => {
    await using bad = await startReceiver(answerWith(500))
    await using good = await startReceiver()
    const { ctx, workspaceId } = service
    const { id } = await service.createWebhook(bad.url)
    await service.emit()
    await service.waitForAttempts(id, 3)
    await patch(id, { status: 'disabled' })
    const missed = await countMissed(ctx, workspaceId, id)
    await patch(id, { target_hook_url: good.url })
    expect(await countMissed(ctx, workspaceId, id)).toEqual(missed)
    expect(missed.deliveries).toBe(1)
  })

  test('and is switched off while events are made has missed those, and none that was for it', async () => {
    await using good = await startReceiver()
    const { ctx, workspaceId } = service
    const { id } = await service.createWebhook(good.url)
    await service.emit()
    await service.waitForAttempts(id, 1)
    // Its transaction has made the event and not yet looked for whom it is.
    const { event, end } = await makeEvent({ looksAtEnd: true })
    await patch(id, { status: 'disabled' })
    await end()
    const { from, ended_from, deliveries } = await countMissed(ctx, workspaceId, id)
    expect(deliveries).toBe(1)
    await patch(id, { status: 'active' })
    if (!(from && ended_from)) throw new Error('It is not switched off.')
    const missed = { from, to: new Date(ctx.now().getTime() + 1000), endedFrom: ended_from }
    expect(await startReplay(ctx, workspaceId, id, missed, operator)).toBe(1)
    const attempts = await service.waitForAttempts(id, 2)
    expect(attempts.map(({ event_id }) => event_id)).toContain(event)
  })

  test('and goes on while events are made is replayed those, too', async () => {
    await using good = await startReceiver()
    const { ctx, workspaceId } = service
    const { id } = await service.createWebhook(good.url)
    await patch(id, { status: 'disabled' })
    const { from, ended_from } = await countMissed(ctx, workspaceId, id)
    // It has looked for whom its event is, and not ended yet.
    const { end } = await makeEvent()
    await patch(id, { status: 'active' })
    if (!(from && ended_from)) throw new Error('It is not switched off.')
    const missed = { from, to: new Date(ctx.now().getTime() + 5_000), endedFrom: ended_from }
    const by = operator
    const replaying = startReplay({ ...ctx, sleep: end }, workspaceId, id, missed, by)
    const [replayed] = await Promise.allSettled([replaying])
    await end()
    expect(replayed).toMatchObject({ value: 1 })
    const entries = peek().selectFrom('audit_log').select('details').where('subject_id', '=', id)
    expect(await entries.where('action', '=', 'webhook.replayed').execute()).toEqual([
      { details: expect.objectContaining({ deliveries: '1' }) },
    ])
  })

  test('and is switched off has not missed what waited for it then, and is delivered once it goes on', async () => {
    await using good = await startReceiver()
    const { ctx, workspaceId } = service
    const { id } = await service.createWebhook(good.url)
    // It is for the webhook, and not to be seen before that is switched off.
    const { end } = await makeEvent()
    ctx.clock.advance(1000)
    await patch(id, { status: 'disabled' })
    await end()
    ctx.clock.advance(180_000)
    const { from, ended_from, deliveries } = await countMissed(ctx, workspaceId, id)
    expect(deliveries).toBe(0)
    await patch(id, { status: 'active' })
    await service.waitForAttempts(id, 1)
    if (!(from && ended_from)) throw new Error('It is not switched off.')
    const missed = { from, to: ctx.now(), endedFrom: ended_from }
    expect(await startReplay(ctx, workspaceId, id, missed, operator)).toBe(0)
  })

  test('for less long, or less often, stays active', async () => {
    expect((await failing(4.9, 100)).status).toBe('active')
    expect((await failing(30, 18)).status).toBe('active')
  })

  test('starts over with one success', async () => {
    await using receiver = await startReceiver()
    const { id } = await service.createWebhook(receiver.url)
    await peek()
      .insertInto('webhook_lanes')
      .values({
        workspace_id: service.workspaceId,
        webhook_id: id,
        failures: 50,
        failing_since: new Date(0),
      })
      .execute()
    await service.emit()
    await service.waitForAttempts(id, 1)
    const lane = await peek()
      .selectFrom('webhook_lanes')
      .selectAll()
      .where('webhook_id', '=', id)
      .executeTakeFirst()
    expect(lane).toMatchObject({ failures: 0, failing_since: null })
  })
})

describe('72 hours after the event', () => {
  test('nothing is attempted: a closing record says expired, and is told of as an attempt is', async () => {
    await using receiver = await startReceiver()
    const { id } = await service.createWebhook(receiver.url)
    await patch(id, { status: 'disabled' })
    await patch(id, { status: 'active' })
    await peek().updateTable('webhooks').set({ status: 'disabled' }).where('id', '=', id).execute()
    await insertPending(id, 3, { expiresAt: new Date(service.ctx.now().getTime() - 1) })
    await peek().updateTable('webhooks').set({ status: 'active' }).where('id', '=', id).execute()
    await untilEnded(id, 3)
    expect(await reasonsOf(id)).toEqual(Array(3).fill('expired'))
    const told = await service.waitForAttempts(id, 3)
    expect(told.map(({ will_retry }) => will_retry)).toEqual([false, false, false])
    expect(receiver.requests).toEqual([])
    expect(await pendingOf(id)).toBe(0)
  })

  test('what waits for a disabled destination ends as destination_disabled', async () => {
    const { id } = await service.createWebhook('http://127.0.0.1:9/')
    await patch(id, { status: 'disabled' })
    await insertPending(id, 2, { expiresAt: new Date(service.ctx.now().getTime() - 1) })
    await insertPending(id, 1, { expiresAt: new Date(service.ctx.now().getTime() + hour) })
    await untilEnded(id, 2)
    expect(await reasonsOf(id)).toEqual(Array(2).fill('destination_disabled'))
    expect(await pendingOf(id)).toBe(1)
  })

  test.each<[state: string, end: (id: string) => Promise<unknown>]>([
    ['an active', (id) => patch(id, { status: 'active' })],
    ['a disabled', (id) => patch(id, { status: 'disabled' })],
    ['a deleted', (id) => service.call('DELETE', `/api/v2/webhooks/${id}`)],
  ])(
    'what waits for %s destination and has lost its event goes without a record',
    async (_state, end) => {
      await using receiver = await startReceiver()
      const { id } = await service.createWebhook(receiver.url)
      await setStatus(id, 'disabled')
      const expiresAt = new Date(service.ctx.now().getTime() - 1)
      await deleteEvent(await insertPending(id, 2, { expiresAt }))
      await end(id)
      await service.ctx.database.until(async () => (await pendingOf(id)) === 0)
      expect(await reasonsOf(id)).toEqual([])
      expect(receiver.requests).toEqual([])
    },
  )
})

test('what waits for a deleted destination ends at the last URL that it had', async () => {
  const urls = ['http://127.0.0.1:9/one', 'http://127.0.0.1:9/two']
  for (const [url = '', last = ''] of [urls, urls.toReversed()]) {
    const { id } = await service.createWebhook(url)
    await patch(id, { target_hook_url: last })
    await setStatus(id, 'disabled')
    await insertPending(id, 1, { expiresAt: new Date(service.ctx.now().getTime() + hour) })
    await service.call('DELETE', `/api/v2/webhooks/${id}`)
    await untilEnded(id, 1)
    expect(await service.attemptsOf(id)).toMatchObject([
      { webhook_url: last, error_message: 'destination_deleted' },
    ])
  }
})

describe('beyond 100,000 pending deliveries', () => {
  const beyond = 7
  const fill = (id: string) =>
    insertPending(id, pendingMax + beyond, {
      expiresAt: new Date(service.ctx.now().getTime() + 2 * hour),
      oldOnes: beyond,
    })
  // Else the runner would end each of them beside the next tests, as those of a destination that is gone.
  afterEach(() => peek().deleteFrom('deliveries').execute())
  const endedOf = async (id: string) =>
    (await service.attemptsOf(id)).filter(
      (attempt) => (attempt as Attempt).error_message === 'backlog_full',
    ) as Attempt[]

  test('those that were made first end as backlog_full, whenever they would be tried again', async () => {
    const { id } = await service.createWebhook('http://127.0.0.1:9/')
    await patch(id, { status: 'disabled' })
    await fill(id)
    await untilEnded(id, beyond)
    expect(await reasonsOf(id)).toEqual(Array(beyond).fill('backlog_full'))
    const ended = (await endedOf(id)).map(({ retry_group_id }) => retry_group_id)
    expect(ended.every(isOld)).toBe(true)
    const warnings = () => service.ctx.logLines.filter((line) => line.includes('are kept'))
    await service.ctx.database.until(async () => warnings().length > 0)
    expect(JSON.parse(warnings()[0] ?? '')).toMatchObject({ level: 40, webhook: id, ended: beyond })
    expect(await pendingOf(id)).toBe(pendingMax)
  })

  test('a replay is refused while it and what waits are too many, and nothing that waits ends for it', async () => {
    const { ctx, workspaceId } = service
    const { id } = await service.createWebhook('http://127.0.0.1:9/')
    await setStatus(id, 'disabled')
    const from = new Date(ctx.now().getTime() - 1)
    const expiresAt = new Date(from.getTime() + 2 * hour)
    await insertPending(id, pendingMax, { expiresAt, oldOnes: pendingMax })
    await setStatus(id, 'active')
    const window = { from, to: new Date(ctx.now().getTime() + 1000) }
    const by = operator
    await expect(startReplay(ctx, workspaceId, id, window, by)).rejects.toThrow('still waits')
    expect(await pendingOf(id)).toBe(pendingMax)
  })

  test('of two replays that begin together the one that would be too many is refused', async () => {
    const { ctx, workspaceId } = service
    await using silent = await startReceiver(() => undefined)
    const { id } = await service.createWebhook(silent.url, { event_type: 'lead.lost' })
    await setStatus(id, 'disabled')
    const from = ctx.now()
    await service.emit([{ type: 'lead.lost' }])
    const expiresAt = new Date(from.getTime() + 2 * hour)
    await insertPending(id, pendingMax - 1, { expiresAt, oldOnes: pendingMax - 1 })
    await setStatus(id, 'active')
    const window = { from, to: new Date(ctx.now().getTime() + 1000) }
    const by = operator
    // Both have found that there is room, and queued, when the lane is free.
    const lane = await peek().startTransaction().execute()
    await lane
      .insertInto('webhook_lanes')
      .values({ workspace_id: workspaceId, webhook_id: id })
      .onConflict((lane) =>
        lane.columns(['workspace_id', 'webhook_id']).doUpdateSet({ failures: 0 }),
      )
      .execute()
    const both = [1, 2].map(() => startReplay(ctx, workspaceId, id, window, by))
    await ctx.database.untilWaiting(2)
    await lane.commit().execute()
    const ended = await Promise.allSettled(both)
    expect(ended).toContainEqual({ status: 'fulfilled', value: 1 })
    expect(ended.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { message: expect.stringContaining('still waits') },
    })
    expect(await pendingOf(id)).toBeLessThanOrEqual(pendingMax)
  })

  test('so it is where the destination answers well, and gets more than it can take', async () => {
    let isSlow = false
    await using receiver = await startReceiver((received, response) => {
      if (!isSlow) void answerWith(200)(received, response)
    })
    const { id } = await service.createWebhook(receiver.url)
    await service.emit()
    await service.waitForAttempts(id, 1)
    isSlow = true
    await fill(id)
    await service.ctx.database.until(async () => (await endedOf(id)).length >= beyond)
    const ended = (await endedOf(id)).map(({ retry_group_id }) => retry_group_id)
    expect(ended.filter(isOld)).toHaveLength(beyond)
  })
})

test('of a backlog those end that were made first and are not being sent, and so many are told of', async () => {
  const { ctx, workspaceId } = service
  const { id } = await service.createWebhook('http://127.0.0.1:9/')
  await setStatus(id, 'disabled')
  await insertPending(id, 10, { expiresAt: new Date(ctx.now().getTime() + hour), oldOnes: 3 })
  const pending = await peek()
    .selectFrom('deliveries')
    .select('id')
    .where('webhook_id', '=', id)
    .orderBy('id')
    .execute()
  const lane = new Lane(workspaceId, id)
  lane.take(pending.slice(0, 3) as DueDelivery[], true)
  ctx.logLines.length = 0
  const close = (excess: number) =>
    closeBacklog(inWorkspace(asService(ctx), workspaceId), lane, excess, { countStripe: 0 })
  expect([await close(2), await close(9), await close(9)]).toEqual([2, 5, 0])
  const ended = (await service.attemptsOf(id)) as Attempt[]
  const groups = ended.map(({ retry_group_id }) => retry_group_id)
  expect(groups.slice(0, 2).sort()).toEqual(pending.slice(3, 5).map((row) => row.id))
  expect(groups.filter(isOld)).toEqual([])
  const told = ctx.logLines
    .filter((line) => line.includes('are kept'))
    .map((line) => JSON.parse(line))
  expect(told.map((line) => line.ended)).toEqual([2, 5])
})

describe('a replay', () => {
  test('delivers every matching event of the window again, as new deliveries of the same events', async () => {
    await using receiver = await startReceiver()
    const from = service.ctx.now()
    const eventIds = await service.emit([
      { type: 'lead.closed' },
      { type: 'lead.lost' },
      { type: 'lead.closed' },
    ])
    const { id } = await service.createWebhook(receiver.url, { event_type: 'lead.closed' })
    const to = new Date(service.ctx.now().getTime() + 1000)
    const target = { workspaceId: service.workspaceId, webhookId: id }
    expect(await replayEvents(service.ctx, target, { from, to })).toBe(2)
    const attempts = await service.waitForAttempts(id, 2)
    expect(new Set(attempts.map((a) => a.event_id))).toEqual(new Set([eventIds[0], eventIds[2]]))

    const retryGroupId = attempts[0]?.retry_group_id ?? ''
    expect(await replayDelivery(service.ctx, target, { retryGroupId })).toBe(1)
    const [, , third] = await service.waitForAttempts(id, 3)
    expect(third).toMatchObject({ event_id: attempts[0]?.event_id, retry_count: 0 })
    expect(third?.retry_group_id).not.toBe(attempts[0]?.retry_group_id)
  })

  test('of one delivery finds it, also where the clock that made its attempt was behind', async () => {
    await using receiver = await startReceiver()
    const { id } = await service.createWebhook(receiver.url)
    await service.emit()
    const [attempt] = await service.waitForAttempts(id, 1)
    const retryGroupId = service.ctx.newId()
    await peek()
      .updateTable('webhook_events')
      .set({ retry_group_id: retryGroupId })
      .where('id', '=', attempt?.id ?? '')
      .execute()
    const target = { workspaceId: service.workspaceId, webhookId: id }
    expect(await replayDelivery(service.ctx, target, { retryGroupId })).toBe(1)
  })

  test('of one delivery whose event is no longer stored is refused, and queues nothing', async () => {
    await using receiver = await startReceiver()
    const { id } = await service.createWebhook(receiver.url)
    const [eventId = ''] = await service.emit()
    const [attempt] = await service.waitForAttempts(id, 1)
    await deleteEvent(eventId)
    const retryGroupId = attempt?.retry_group_id ?? ''
    const target = { workspaceId: service.workspaceId, webhookId: id }
    await expect(replayDelivery(service.ctx, target, { retryGroupId })).rejects.toThrow(
      'no longer stored',
    )
    expect(await pendingOf(id)).toBe(0)
  })

  test('never delivers the sample data of a test call', async () => {
    await using receiver = await startReceiver()
    const { id } = await service.createWebhook(receiver.url)
    const from = service.ctx.now()
    await service.call('POST', `/api/v2/webhooks/${id}/test`)
    const to = new Date(service.ctx.now().getTime() + 1000)
    const target = { workspaceId: service.workspaceId, webhookId: id }
    expect(await replayEvents(service.ctx, target, { from, to })).toBe(0)
  })

  test('that ends half-way says how many are queued, and is in the audit log', async () => {
    const { ctx, workspaceId } = service
    const { id } = await service.createWebhook('http://127.0.0.1:9/', { event_type: 'lead.lost' })
    await setStatus(id, 'disabled')
    const from = ctx.now()
    const [event = ''] = await service.emit([{ type: 'lead.lost' }])
    await sql`
      insert into events (workspace_id, id, type, campaign_id, lead_email, body)
      select workspace_id, (left(id::text, 14) || '7fff-bfff-' || lpad(n::text, 12, '0'))::uuid,
        type, campaign_id, lead_email, body
      from events, generate_series(1, ${rowsMax}::integer) as n where id = ${event}::uuid`.execute(
      peek(),
    )
    await setStatus(id, 'active')
    const last = `${event.slice(0, 14)}7fff-bfff-${String(rowsMax).padStart(12, '0')}`
    await sql`
      create function break_off() returns trigger language plpgsql as $$
      begin raise exception using errcode = '57P01'; end $$`.execute(peek())
    await sql`
      create trigger break_off before insert on deliveries
      for each row when (new.event_id = ${sql.lit(last)}) execute function break_off()`.execute(
      peek(),
    )
    const window = { from, to: new Date(ctx.now().getTime() + 1000) }
    const replaying = startReplay(ctx, workspaceId, id, window, operator)
    await expect(replaying).rejects.toThrow(`${rowsMax} of ${rowsMax + 1} deliveries are queued`)
    await sql`drop function break_off cascade`.execute(peek())
    const entries = peek().selectFrom('audit_log').select('details').where('subject_id', '=', id)
    expect(await entries.where('action', '=', 'webhook.replayed').execute()).toEqual([
      { details: expect.objectContaining({ deliveries: String(rowsMax + 1) }) },
    ])
  })

  test('of a disabled or unknown destination is refused', async () => {
    const { id } = await service.createWebhook('http://127.0.0.1:9/')
    await patch(id, { status: 'disabled' })
    const { ctx, workspaceId } = service
    const window = { from: new Date(0), to: ctx.now() }
    const replayOf = (webhookId: string) => replayEvents(ctx, { workspaceId, webhookId }, window)
    await expect(replayOf(id)).rejects.toThrow('disabled')
    await expect(replayOf(ctx.newId())).rejects.toThrow('No such webhook')
  })

  test('without webhooks in the plan is refused, and queues nothing', async () => {
    await using receiver = await startReceiver()
    const { ctx, workspaceId } = service
    const from = ctx.now()
    await service.emit()
    const { id } = await service.createWebhook(receiver.url)
    await setPlan(ctx, workspaceId, { webhooks: false })
    const window = { from, to: new Date(ctx.now().getTime() + 1000) }
    const replaying = replayEvents(ctx, { workspaceId, webhookId: id }, window)
    await expect(replaying).rejects.toMatchObject({ code: 'plan_required' })
    expect(await pendingOf(id)).toBe(0)
    await setPlan(ctx, workspaceId, { webhooks: true })
  })
})

/** Of deliveries that were made before the others. */
const oldPrefix = '00000000-'
const isOld = (id: string) => id.startsWith(oldPrefix)

/** In a transaction that has looked for whom its event is, or will before it ends, and is not over yet. */
async function makeEvent({ looksAtEnd = false } = {}) {
  const { ctx, workspaceId } = service
  const made = Promise.withResolvers<string | undefined>()
  const mayEnd = Promise.withResolvers<void>()
  const making = transaction(ctx, async (tx) => {
    const stored = await storeEvents(tx, workspaceId, [
      { type: 'lead.interested', campaign: null, leadEmail: null, data: {} },
    ])
    if (!looksAtEnd) await enqueueDeliveries(tx, workspaceId, stored)
    made.resolve(stored[0]?.id)
    await mayEnd.promise
    if (looksAtEnd) await enqueueDeliveries(tx, workspaceId, stored)
  })
  const end = async () => {
    mayEnd.resolve()
    await making
  }
  return { event: await made.promise, end }
}

/** Pending deliveries of one stored event, due now; old ones were tried before, and are due in an hour. */
async function insertPending(
  webhookId: string,
  count: number,
  { expiresAt, oldOnes = 0 }: { expiresAt: Date; oldOnes?: number },
) {
  const now = service.ctx.now()
  const [eventId = ''] = await service.emit([{ type: 'lead.no_show' }])
  await peek()
    .insertInto('deliveries')
    .columns(['workspace_id', 'id', 'bucket', 'webhook_id', 'event_id', 'due_at', 'expires_at'])
    .expression((eb) =>
      eb.selectFrom(sql<{ n: number }>`generate_series(1, ${count}::int)`.as('s')).select([
        sql<string>`${service.workspaceId}::uuid`.as('workspace_id'),
        sql<string>`overlay(gen_random_uuid()::text placing
            case when s <= ${oldOnes}::int then ${oldPrefix} else 'f' end from 1)::uuid`.as('id'),
        sql<number>`${Number.parseInt(webhookId.slice(-2), 16)}::int`.as('bucket'),
        sql<string>`${webhookId}::uuid`.as('webhook_id'),
        sql<string>`${eventId}::uuid`.as('event_id'),
        sql<Date>`${now}::timestamptz
            + case when s <= ${oldOnes}::int then interval '1 hour' else '0' end`.as('due_at'),
        sql<Date>`${expiresAt}::timestamptz`.as('expires_at'),
      ]),
    )
    .execute()
  return eventId
}
