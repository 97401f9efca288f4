import { sql } from 'kysely'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Delivering, testDelivering } from '../../../test/delivering.ts'
import { answerInTurn, answerWith, startReceiver } from '../../../test/receiver.ts'
import { captureStatements } from '../../kernel/db/client.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { dayMs } from '../../kernel/durations.ts'
import { ensurePartitions } from '../../partitions.ts'
import { operator } from '../audit/index.ts'
import { storeEvents } from '../events/index.ts'
import { eventDaysOf } from '../kept-settings/index.ts'
import { dismissMissed } from './missed-periods.ts'
import { countMissed, startReplay } from './replays/start-replay.ts'

const minute = 60_000
const hour = 60 * minute

let service: Delivering
beforeAll(async () => {
  service = await testDelivering()
})
afterAll(() => service[Symbol.asyncDispose]())

const advance = (ms: number) => service.ctx.clock.advance(ms)
const count = (id: string) => countMissed(service.ctx, service.workspaceId, id)
const set = async (id: string, status: 'active' | 'disabled') =>
  (await service.call('PATCH', `/api/v2/webhooks/${id}`, { body: { status } })).body
const replay = (id: string, from: Date, to: Date) =>
  startReplay(service.ctx, service.workspaceId, id, { from, to }, operator)
const keptOf = async (id: string) => {
  const { peek } = service.ctx.database
  const webhooks = peek.selectFrom('webhooks').select('missed').where('id', '=', id)
  return (await webhooks.executeTakeFirstOrThrow()).missed
}

/** Off for a minute, in which so many events are made. */
async function pause(id: string, events: number) {
  await set(id, 'disabled')
  if (events > 0) await service.emit(Array(events).fill({}))
  advance(minute)
  await set(id, 'active')
  advance(minute)
}

test('a pause in which nothing was missed hides no later one, and is let go of', async () => {
  await using good = await startReceiver()
  const { id } = await service.createWebhook(good.url)
  await pause(id, 0)
  await pause(id, 0)
  const before = service.ctx.now()
  await pause(id, 2)
  const missed = await count(id)
  expect(missed.deliveries).toBe(2)
  expect(missed.from && missed.from >= before).toBe(true)
  expect(await keptOf(id)).toHaveLength(1)
})

test('what somebody dismissed is missed no more, until that is undone, and a later pause is', async () => {
  await using good = await startReceiver()
  const { id } = await service.createWebhook(good.url)
  await pause(id, 1)
  await pause(id, 2)
  const first = await count(id)
  expect(first.deliveries).toBe(1)
  if (!(first.from && first.to)) throw new Error('It was not switched off.')
  const { from, to } = first
  const dismiss = (dismissed: boolean) =>
    dismissMissed(service.ctx, service.workspaceId, id, { from, dismissed }, operator)
  await dismiss(true)
  expect((await count(id)).deliveries).toBe(2)
  await dismiss(false)
  expect(await count(id)).toEqual(first)
  // Somebody who has it open replayed it meanwhile.
  await replay(id, from, to)
  await dismiss(false)
  expect((await count(id)).deliveries).toBe(2)
})

test('a replay whose period cannot be let go of at once is not offered again, and where it never can it says what it queued', async () => {
  await using good = await startReceiver()
  const { id } = await service.createWebhook(good.url)
  await pause(id, 2)
  const { from, to } = await count(id)
  if (!(from && to)) throw new Error('It was not switched off.')
  const { ctx, workspaceId } = service
  const { peek } = ctx.database
  const replayWith = (changes: Partial<typeof ctx>) =>
    startReplay({ ...ctx, ...changes }, workspaceId, id, { from, to }, operator)
  // Twice: a sequence counts what is taken back, too.
  await sql`create sequence refused`.execute(peek)
  await sql`
    create function refuse() returns trigger language plpgsql as $$
    begin
      if nextval('refused') <= 2 then raise exception using errcode = '57P01'; end if;
      return new;
    end $$`.execute(peek)
  await sql`
    create trigger refuse before update on webhooks for each row execute function refuse()`.execute(
    peek,
  )
  onTestFinished(async () => {
    await sql`drop function refuse cascade`.execute(peek)
    await sql`drop sequence refused`.execute(peek)
  })
  let passedMs = 0
  const monotonicMs = () => {
    passedMs += 10_000
    return passedMs
  }
  expect(await replayWith({ monotonicMs })).toBe(2)
  expect(await count(id)).toMatchObject({ from, deliveries: 2 })
  expect(await replayWith({})).toBe(2)
  expect((await count(id)).deliveries).toBe(0)
})

test('to offer again what is offered, or to dismiss what is dismissed, is no change', async () => {
  await using good = await startReceiver()
  const { ctx, workspaceId } = service
  const { id } = await service.createWebhook(good.url)
  await pause(id, 1)
  const { from } = await count(id)
  if (!from) throw new Error('It was not switched off.')
  const countChanges = async () => {
    const audit = ctx.database.peek.selectFrom('audit_log').select('id')
    return (await audit.where('subject_id', '=', id).execute()).length
  }
  const changes: number[] = []
  for (const dismissed of [false, true, true, false, false]) {
    const before = await countChanges()
    await dismissMissed(ctx, workspaceId, id, { from, dismissed }, operator)
    changes.push((await countChanges()) - before)
  }
  expect(changes).toEqual([0, 1, 0, 1, 0])
})

test('of what somebody dismissed the rest is offered again once a part of it is replayed', async () => {
  await using good = await startReceiver()
  const { ctx, workspaceId } = service
  const { id } = await service.createWebhook(good.url)
  await set(id, 'disabled')
  await service.emit()
  advance(minute)
  const half = ctx.now()
  advance(1000)
  await service.emit([{}, {}])
  advance(minute)
  await set(id, 'active')
  advance(minute)
  const { from, deliveries } = await count(id)
  if (!from) throw new Error('It was not switched off.')
  expect(deliveries).toBe(3)
  await dismissMissed(ctx, workspaceId, id, { from, dismissed: true }, operator)
  expect((await count(id)).deliveries).toBe(0)
  expect(await replay(id, from, half)).toBe(1)
  expect(await count(id)).toMatchObject({ deliveries: 2, from: half })
})

test('a long pause stays offered however many short ones come after it, and one that was dismissed gives way first', async () => {
  await using good = await startReceiver()
  const { ctx, workspaceId } = service
  const { id } = await service.createWebhook(good.url)
  const pauseLong = async (events: number) => {
    await set(id, 'disabled')
    await service.emit(Array(events).fill({}))
    advance(hour)
    await set(id, 'active')
    advance(minute)
    return count(id)
  }
  const { from } = await pauseLong(1)
  if (!from) throw new Error('It was not switched off.')
  await dismissMissed(ctx, workspaceId, id, { from, dismissed: true }, operator)
  const long = await pauseLong(2)
  for (let paused = 0; paused < 19; paused++) await pause(id, 0)
  expect(await keptOf(id)).toHaveLength(20)
  expect(await keptOf(id)).not.toContainEqual(expect.objectContaining({ dismissed: true }))
  for (let paused = 0; paused < 3; paused++) await pause(id, 0)
  expect(await keptOf(id)).toHaveLength(20)
  expect(await count(id)).toEqual(long)
})

test('of two pauses within two minutes each counts and delivers its own events', async () => {
  await using good = await startReceiver()
  const { id } = await service.createWebhook(good.url)
  const pauseBriefly = async () => {
    await set(id, 'disabled')
    await service.emit()
    advance(1000)
    await set(id, 'active')
    advance(10_000)
  }
  await pauseBriefly()
  await pauseBriefly()
  const { from, to } = await count(id)
  if (!(from && to)) throw new Error('It was not switched off.')
  await set(id, 'disabled')
  await service.emit()
  const third = await count(id)
  expect(third.deliveries).toBe(1)
  advance(1000)
  await set(id, 'active')
  if (!(third.from && third.ended_from)) throw new Error('It was not switched off.')
  const window = { from: third.from, to: service.ctx.now(), endedFrom: third.ended_from }
  const by = operator
  expect(await startReplay(service.ctx, service.workspaceId, id, window, by)).toBe(1)
  expect(await replay(id, from, to)).toBe(1)
  expect((await count(id)).deliveries).toBe(1)
})

test('a pause that was replayed gives its events to no later one, however long after', async () => {
  await using good = await startReceiver()
  const { id } = await service.createWebhook(good.url)
  const pauseBriefly = async (events: number) => {
    await set(id, 'disabled')
    await service.emit(Array(events).fill({}))
    advance(30_000)
    await set(id, 'active')
    advance(30_000)
  }
  const replayMissed = async () => {
    const { from, to, ended_from } = await count(id)
    if (!(from && to && ended_from)) throw new Error('It was not switched off.')
    const window = { from, to, endedFrom: ended_from }
    return startReplay(service.ctx, service.workspaceId, id, window, operator)
  }
  await pauseBriefly(3)
  await pauseBriefly(1)
  advance(10 * minute)
  expect(await replayMissed()).toBe(3)
  await service.waitForAttempts(id, 3)
  expect((await count(id)).deliveries).toBe(1)
  expect(await replayMissed()).toBe(1)
  await service.waitForAttempts(id, 4)
  // The last one goes on telling when it was over, though nothing of it is left.
  await pauseBriefly(2)
  advance(10 * minute)
  expect(await replayMissed()).toBe(2)
  await service.waitForAttempts(id, 6)
  await pauseBriefly(1)
  expect((await count(id)).deliveries).toBe(1)
})

test('what ended before an earlier pause is not missed in a later one', async () => {
  await using receiver = await startReceiver(
    answerInTurn(answerWith(410), answerWith(200), answerWith(410)),
  )
  const { id } = await service.createWebhook(receiver.url)
  await service.emit()
  await service.waitForAttempts(id, 1)
  advance(30_000)
  const { from, ended_from } = await count(id)
  await set(id, 'active')
  if (!(from && ended_from)) throw new Error('It was not switched off.')
  const window = { from, to: service.ctx.now(), endedFrom: ended_from }
  const by = operator
  expect(await startReplay(service.ctx, service.workspaceId, id, window, by)).toBe(1)
  await service.waitForAttempts(id, 2)
  advance(30_000)
  await service.emit()
  await service.waitForAttempts(id, 3)
  expect((await count(id)).deliveries).toBe(1)
})

test('a replay of a window reads its events once, however many match', async () => {
  await using good = await startReceiver()
  const from = service.ctx.now()
  await service.emit([{}, {}])
  const { id } = await service.createWebhook(good.url)
  let reads = 0
  captureStatements((text) => {
    if (text.includes('with read as materialized') && text.includes('from events')) reads += 1
  })
  onTestFinished(() => captureStatements(undefined))
  advance(1000)
  expect(await replay(id, from, service.ctx.now())).toBe(2)
  expect(reads).toBe(1)
})

test('what is no longer stored hides nothing that is', async () => {
  await using good = await startReceiver()
  const { id } = await service.createWebhook(good.url)
  await set(id, 'disabled')
  const gone = await service.emit()
  advance(1000)
  await set(id, 'active')
  expect((await count(id)).deliveries).toBe(1)
  advance(minute)
  await pause(id, 2)
  // As when its partition is dropped.
  await service.ctx.database.peek.deleteFrom('events').where('id', 'in', gone).execute()
  expect((await count(id)).deliveries).toBe(2)
})

test('what was made in a pause and commits after it is missed, though nothing was at first', async () => {
  await using good = await startReceiver()
  const { ctx, workspaceId } = service
  const { id } = await service.createWebhook(good.url)
  await set(id, 'disabled')
  const isMade = Promise.withResolvers<void>()
  const mayEnd = Promise.withResolvers<void>()
  const making = transaction(ctx, async (tx) => {
    await storeEvents(tx, workspaceId, [
      { type: 'lead.interested', campaign: null, leadEmail: null, data: {} },
    ])
    isMade.resolve()
    await mayEnd.promise
  })
  await isMade.promise
  advance(1000)
  await set(id, 'active')
  expect((await count(id)).deliveries).toBe(0)
  mayEnd.resolve()
  await making
  expect((await count(id)).deliveries).toBe(1)
})

test('what comes once a webhook goes on is not missed, and replayed a little further all the same', async () => {
  await using good = await startReceiver()
  const { id } = await service.createWebhook(good.url)
  await set(id, 'disabled')
  await service.emit()
  advance(1000)
  const { timestamp_updated: resumedAt } = await set(id, 'active')
  await service.emit()
  const { deliveries, to } = await count(id)
  expect(deliveries).toBe(1)
  // The clock of a test goes on between one reading of it and the next.
  const beforeMs = Date.parse(resumedAt) + 5000 - (to?.getTime() ?? 0)
  expect(beforeMs).toBeGreaterThanOrEqual(0)
  expect(beforeMs).toBeLessThan(1000)
})

test('windows one after another, from its first failure on, are all that it missed', async () => {
  await using good = await startReceiver()
  const { id } = await service.createWebhook(good.url)
  const failedFrom = new Date(service.ctx.now().getTime() - hour)
  await service.ctx.database.peek
    .insertInto('webhook_lanes')
    .values({
      ...{ workspace_id: service.workspaceId, webhook_id: id },
      ...{ failures: 3, failing_since: failedFrom },
    })
    .execute()
  await set(id, 'disabled')
  await service.emit()
  advance(minute)
  await service.emit()
  advance(minute)
  await set(id, 'active')
  const { from, to, ended_from } = await count(id)
  if (!(from && to)) throw new Error('It was not switched off.')
  expect(ended_from).toEqual(failedFrom)
  const first = new Date(failedFrom.getTime() + hour / 2)
  const second = new Date(from.getTime() + minute / 2)
  await replay(id, new Date(failedFrom.getTime() - minute), first)
  expect(await count(id)).toMatchObject({ deliveries: 2, from, ended_from: first })
  await replay(id, first, second)
  expect(await count(id)).toMatchObject({ deliveries: 1, from: second, ended_from: null })
  await replay(id, second, to)
  expect(await count(id)).toMatchObject({ deliveries: 0, from: null })
  expect(await keptOf(id)).toEqual([expect.objectContaining({ replayed: true })])
})

test('pauses whose events are past their retention time give way to a short one, however long they were', async () => {
  await using good = await startReceiver()
  const { ctx } = service
  const { id } = await service.createWebhook(good.url)
  for (let paused = 0; paused < 20; paused++) {
    await set(id, 'disabled')
    advance(hour)
    await set(id, 'active')
    advance(minute)
  }
  advance(eventDaysOf(ctx) * dayMs)
  await ensurePartitions(ctx)
  await pause(id, 2)
  for (let paused = 0; paused < 3; paused++) await pause(id, 0)
  expect(await keptOf(id)).toHaveLength(20)
  expect((await count(id)).deliveries).toBe(2)
})
