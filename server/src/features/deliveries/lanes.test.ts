import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Delivering, testDelivering } from '../../../test/delivering.ts'
import { patience } from '../../../test/patience.ts'
import { answerWith, type Receiver, startReceiver } from '../../../test/receiver.ts'
import { createSignal } from '../../../test/signal.ts'
import { allBuckets, bucketOf } from '../../kernel/runner/leases.ts'
import { eraseLead } from '../erasure/index.ts'
import { pendingMax } from './backlog.ts'
import { countAbandons } from './cross-workspace.ts'
import { Lanes } from './lanes.ts'

/** More than are read at once. */
const events = 100
const person = 'lead@example.com'

let service: Delivering
let receiver: Receiver
let webhookId: string
/** Requests that wait for their answers. */
let open: { eventId: string; answer: (status: number) => void }[]
let answersAtOnce: boolean
const arrival = createSignal()
/** As far as the runners can tell. */
let elapsedMs: number

beforeEach(async () => {
  open = []
  answersAtOnce = false
  elapsedMs = 0
  service = await testDelivering({ webhookRetryDelaysMs: [1000, 1000, 1000] })
  await service.runner.stop()
  service.ctx.monotonicMs = () => elapsedMs
  receiver = await startReceiver((received, response) => {
    const answer = (status: number) => void answerWith(status)(received, response)
    if (answersAtOnce) return answer(200)
    open.push({ eventId: String(received.headers['webhook-id']), answer })
    arrival.raise()
  })
  webhookId = (await service.createWebhook(receiver.url)).id
})
afterEach(async () => {
  // Else they would go on to read from a database that is gone, beside all later test files.
  for (const owner of owners.splice(0)) owner.end()
  await service[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

const untilOpen = (count: number) => arrival.until(() => open.length >= count)

/** Answers those that wait longest. */
const answer = (count: number, status: number) => {
  for (const each of open.splice(0, count)) each.answer(status)
}

const attempts = () =>
  service.ctx.database.peek.selectFrom('webhook_events').selectAll().orderBy('id').execute()

const untilWritten = (statusCode: number, count: number) =>
  service.ctx.database.until(
    async () =>
      (await attempts()).filter((each) => each.status_code === statusCode).length >= count,
  )

/** The lanes of a runner that has the lease. */
function startOwner() {
  let holds = true
  let hasEnded = false
  const holdsBucket = (bucket: number) => !hasEnded && (holds || bucket !== bucketOf(webhookId))
  const lanes = new Lanes(service.ctx, { countStripe: 0, holds: holdsBucket })
  const owner = {
    lanes,
    end() {
      hasEnded = true
      lanes.leave(allBuckets)
    },
    wake: () => lanes.wake(service.workspaceId, webhookId),
    loseLease() {
      holds = false
      lanes.leave([bucketOf(webhookId)])
    },
    stop: () => lanes.drain([bucketOf(webhookId)], 1000),
  }
  owners.push(owner)
  return owner
}
type Owner = ReturnType<typeof startOwner>
const owners: { end: () => void }[] = []

/** All that is due was read, and five requests of it are open. */
async function inFullFlow(): Promise<Owner> {
  await service.emit(Array.from({ length: events }, () => ({})))
  const owner = startOwner()
  owner.wake()
  await untilOpen(1)
  answer(1, 200)
  await untilOpen(4)
  answer(1, 200)
  await untilOpen(5)
  return owner
}

/** The settler hears of it after the transaction has ended, which is the last that happens in the database. */
const untilRefused = ({ lanes }: Owner) =>
  expect.poll(() => lanes.settler.refused, patience).toBe(1)

const patch = (status: string) =>
  service.call('PATCH', `/api/v2/webhooks/${webhookId}`, { body: { status } })

/** The owner notices with the next answer; what had expired is closed then, which shows that it did. */
async function untilNoticed() {
  const { ctx, workspaceId } = service
  await untilWritten(200, 1)
  const [event] = await attempts()
  await ctx.database.peek
    .insertInto('deliveries')
    .values({
      ...{ workspace_id: workspaceId, id: ctx.newId(), webhook_id: webhookId },
      ...{ bucket: bucketOf(webhookId), event_id: event?.event_id ?? '' },
      ...{ due_at: new Date(0), expires_at: new Date(0) },
    })
    .execute()
  elapsedMs += 1001
  answer(1, 200)
  await ctx.database.until(async () =>
    (await attempts()).some((each) => each.error_message === 'destination_disabled'),
  )
}

interface Setback {
  what: string
  /** Four requests stay open, and what was read is forgotten. */
  happens: () => Promise<unknown>
  /** The owner begins to read again. */
  isOver: (owner: Owner) => Promise<unknown>
}

const isResumed = async (owner: Owner) => {
  await patch('active')
  elapsedMs += 5001
  owner.wake()
}

const setbacks: Setback[] = [
  {
    what: 'attempts fail',
    async happens() {
      answer(3, 500)
      await untilWritten(500, 3)
      await untilOpen(4)
    },
    async isOver({ lanes }) {
      service.ctx.clock.advance(10_000)
      lanes.tick()
    },
  },
  {
    what: 'its destination is paused',
    async happens() {
      await patch('disabled')
      await untilNoticed()
    },
    isOver: isResumed,
  },
  {
    what: 'its receiver says that it is gone',
    async happens() {
      answer(1, 410)
      await untilWritten(410, 1)
      await untilOpen(5)
      await untilNoticed()
    },
    isOver: isResumed,
  },
]

/** Everything is answered, and all answers are written. */
async function finish(...owners: Owner[]) {
  const { peek, until } = service.ctx.database
  answersAtOnce = true
  answer(open.length, 200)
  await until(async () => (await peek.selectFrom('deliveries').select('id').execute()).length === 0)
  for (const owner of owners) await owner.stop()
  const made = (await attempts()).filter(({ status_code }) => status_code !== null)
  const ended = made.filter(({ will_retry }) => !will_retry)
  expect(new Set(ended.map(({ event_id }) => event_id)).size).toBe(events)
  expect(ended).toHaveLength(events)
  expect(ended.filter(({ status_code }) => status_code !== 410).every((each) => each.success)).toBe(
    true,
  )
  for (const group of Map.groupBy(made, (each) => each.retry_group_id).values()) {
    expect(group.map(({ retry_count }) => retry_count)).toEqual(group.map((_, index) => index))
  }
  return made.map(({ event_id }) => event_id)
}

const requested = () => receiver.requests.map(({ headers }) => String(headers['webhook-id']))

test('what could not be sent for want of a connection is sent later, and is no failure of the receiver', async () => {
  const { ctx } = service
  const { http } = ctx
  let refusals = 0
  const post: typeof http.post = async (request) => {
    if (++refusals > 3) return http.post(request)
    return { kind: 'unsent', reason: 'no connection became free in time', durationMs: 15_000 }
  }
  ctx.http = { ...http, post }
  const pauses: number[] = []
  ctx.sleep = async (ms) => void pauses.push(ms)
  answersAtOnce = true
  await service.emit(Array.from({ length: events }, () => ({})))
  const owner = startOwner()
  owner.wake()
  await finish(owner)
  expect((await attempts()).every(({ success, retry_count }) => success && retry_count === 0)).toBe(
    true,
  )
  expect(pauses.filter((ms) => ms === 1_000)).toHaveLength(3)
  expect(await ctx.metrics.text()).toContain('outrider_deliveries_total{outcome="not_sent"} 3')
  expect(
    ctx.logLines.filter((line) => line.includes('"reason":"no connection became')),
  ).toHaveLength(3)
})

test('a receiver that refuses some events gets the others at once', async () => {
  const { until } = service.ctx.database
  const owner = await inFullFlow()
  answer(5, 422)
  await untilOpen(5)
  answersAtOnce = true
  answer(open.length, 422)
  await until(async () => (await attempts()).length === events)
  expect((await attempts()).filter(({ success }) => !success)).toHaveLength(10)
  service.ctx.clock.advance(2_000)
  owner.lanes.tick()
  owner.wake()
  await finish(owner)
})

test('a success whose answer was late ends all that stands against its destination', async () => {
  const { ctx, workspaceId } = service
  const { peek, until } = ctx.database
  const { http } = ctx
  ctx.http = {
    ...http,
    post: async (request) => ({ ...(await http.post(request)), isLate: true as const }),
  }
  const lane = () =>
    peek.selectFrom('webhook_lanes').selectAll().where('webhook_id', '=', webhookId).execute()
  await peek
    .insertInto('webhook_lanes')
    .values({ workspace_id: workspaceId, webhook_id: webhookId, abandons: 2 })
    .execute()
  await service.emit([{}, {}])
  startOwner().wake()
  await untilOpen(1)
  answer(1, 500)
  await until(async () => (await lane())[0]?.failures === 1)
  await untilOpen(1)
  answer(1, 200)
  await untilWritten(200, 1)
  const nothing = { failures: 0, failing_since: null, not_before: null, abandons: 0 }
  expect(await lane()).toMatchObject([nothing])
})

test('what was read ahead of a person who is erased is not sent', async () => {
  const owner = await inFullFlow()
  const named = () => receiver.requests.filter(({ body }) => String(body).includes(person)).length
  expect(named()).toBe(receiver.requests.length)
  const before = named()
  await eraseLead(service.ctx, person)
  elapsedMs += 1001
  await finish(owner)
  expect(receiver.requests).toHaveLength(events)
  expect(named()).toBe(before)
})

test('a result that the database refuses holds up no other, is told, and is written once it is taken', async () => {
  const { ctx } = service
  const { db, until, peek } = ctx.database
  const [refused = ''] = await service.emit(Array.from({ length: events }, () => ({})))
  await sql`alter table webhook_events add constraint refusing
    check (event_id <> ${sql.lit(refused)}) not valid`.execute(db)
  answersAtOnce = true
  const owner = startOwner()
  owner.wake()
  await untilRefused(owner)
  await until(async () => (await attempts()).length === events - 1)
  expect(await peek.selectFrom('deliveries').select('event_id').execute()).toEqual([
    { event_id: refused },
  ])
  expect(ctx.logLines.filter((line) => line.includes('"level":50'))).toHaveLength(1)

  // It is not sent again while its result waits to be written.
  owner.wake()
  await sql`alter table webhook_events drop constraint refusing`.execute(db)
  elapsedMs += 60_000
  owner.lanes.tick()
  expect((await finish(owner)).sort()).toEqual(requested().sort())
  expect(owner.lanes.settler.refused).toBe(0)
})

test('a runner remembers nothing of lanes that are not its own, or no longer are', async () => {
  const lanes = new Lanes(service.ctx, { countStripe: 0, holds: () => false })
  for (let woken = 0; woken < 1_000; woken++) lanes.wake(service.workspaceId, service.ctx.newId())
  expect([lanes.size, lanes.withWork]).toEqual([0, 0])

  const first = await inFullFlow()
  expect(first.lanes.size).toBe(1)
  first.loseLease()
  const second = startOwner()
  second.wake()
  await finish(first, second)
  expect(first.lanes.size).toBe(0)
  expect([second.lanes.size, second.lanes.withWork]).toEqual([1, 0])
})

test.each(setbacks)(
  '$what: a lane that has read ahead sends nothing twice and leaves nothing out',
  async ({ happens, isOver }) => {
    const owner = await inFullFlow()
    await happens()
    expect(open).toHaveLength(4)
    await isOver(owner)
    // It goes on while three of the four are still open.
    answer(1, 200)
    await untilOpen(4)
    const made = await finish(owner)
    expect(requested().sort()).toEqual(made.sort())
  },
)

test.each(setbacks)(
  '$what, and the lease is lost while it reads again: the next owner sends the rest, and the first nothing more',
  async ({ happens, isOver }) => {
    const first = await inFullFlow()
    await happens()
    const inFlight = new Set(open.map(({ eventId }) => eventId))
    await isOver(first)
    first.loseLease()
    const second = startOwner()
    second.wake()
    const made = await finish(first, second)
    const rest = (ids: string[]) => ids.filter((id) => !inFlight.has(id)).sort()
    expect(rest(requested())).toEqual(rest(made))
    expect(requested().filter((id) => inFlight.has(id)).length).toBeLessThanOrEqual(
      2 * inFlight.size,
    )
  },
)

test('a new destination is read while more proven ones than are read at once always want to be', async () => {
  answersAtOnce = true
  const proven = await Promise.all(
    Array.from({ length: 200 }, () =>
      service.createWebhook(receiver.url, { event_type: 'lead.lost' }),
    ),
  )
  const { workspaceId } = service
  const { lanes } = startOwner()
  const wakeProven = () => {
    for (const { id } of proven) lanes.wake(workspaceId, id)
  }
  await service.emit([{ type: 'lead.lost' }])
  wakeProven()
  await untilWritten(200, proven.length)
  const { id } = await service.createWebhook(receiver.url, { event_type: 'lead.closed' })
  await service.emit([{ type: 'lead.closed' }])

  let isRead = false
  const read = untilWritten(200, proven.length + 1).then(() => {
    isRead = true
  })
  wakeProven()
  lanes.wake(workspaceId, id)
  while (!isRead) {
    wakeProven()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await read
  await lanes.drain(allBuckets, 1000)
})

test('a drain waits for what is in flight of the buckets that leave, and for no other', async () => {
  const owner = await inFullFlow()
  const bucket = bucketOf(webhookId)
  await owner.lanes.drain([(bucket + 1) % 256], 1000)
  expect(open).toHaveLength(5)
  owner.loseLease()
  const drained = owner.lanes.drain([bucket], 1000)
  const isOver = drained.then(() => true)
  answer(4, 200)
  await untilWritten(200, 6)
  expect(await Promise.race([isOver, Promise.resolve(false)])).toBe(false)
  answer(1, 200)
  await drained
  expect(await attempts()).toHaveLength(7)
})

test('a drain does not wait for results of other buckets', async () => {
  const { peek } = service.ctx.database
  const owner = await inFullFlow()
  // Results are written in two halves, by bucket.
  let other = webhookId
  while ((bucketOf(other) - bucketOf(webhookId)) % 2 === 0) {
    // An event with many destinations would wait for a runner that expands it.
    if (other !== webhookId) await service.call('DELETE', `/api/v2/webhooks/${other}`)
    other = (await service.createWebhook(receiver.url, { event_type: 'lead.lost' })).id
  }
  const [eventId = ''] = await service.emit([{ type: 'lead.lost' }])
  owner.lanes.wake(service.workspaceId, other)
  await arrival.until(() => open.some((each) => each.eventId === eventId))
  const held = await peek.startTransaction().execute()
  await held
    .selectFrom('deliveries')
    .select('id')
    .where('webhook_id', '=', other)
    .forUpdate()
    .execute()
  owner.loseLease()
  answer(open.length, 200)
  await owner.stop()
  expect(await attempts()).toHaveLength(7)
  await held.commit().execute()
  await owner.lanes.drain([bucketOf(other)], 1000)
  expect(await attempts()).toHaveLength(8)
})

test('a drain does not wait for a result that the database refuses', async () => {
  const { ctx } = service
  const [refused = ''] = await service.emit()
  await sql`alter table webhook_events add constraint refusing
    check (event_id <> ${sql.lit(refused)}) not valid`.execute(ctx.database.db)
  answersAtOnce = true
  const owner = startOwner()
  owner.wake()
  await untilRefused(owner)
  owner.loseLease()
  ctx.sleep = async () => {
    throw new Error('it waits')
  }
  await owner.stop()
})

test('a request that is marked first is not sent when the lease was lost meanwhile', async () => {
  const { peek } = service.ctx.database
  const owner = await startMarking()
  const held = await peek.startTransaction().execute()
  await held.selectFrom('webhook_lanes').select('abandons').forUpdate().execute()
  owner.wake()
  await service.ctx.database.untilWaiting(1, 'update "webhook_lanes"')
  owner.loseLease()
  await held.commit().execute()
  await owner.stop()
  expect(open).toEqual([])
})

/** Requests of this destination have ended processes: each is marked before it is made. */
async function startMarking(): Promise<Owner> {
  const { peek } = service.ctx.database
  const row = { workspace_id: service.workspaceId, webhook_id: webhookId, abandons: 3 }
  await peek.insertInto('webhook_lanes').values(row).execute()
  await service.emit()
  return startOwner()
}

/** The next owner finds nothing of a request that would have ended the process, and makes it. */
async function expectDelivered() {
  answersAtOnce = true
  const next = startOwner()
  next.wake()
  await service.ctx.database.until(async () => (await attempts()).length > 0)
  expect(await attempts()).toMatchObject([{ success: true, status_code: 200 }])
  await next.stop()
}

test('a marked request that hangs while its lease is given back is made again, and not ended as what ended its process', async () => {
  const owner = await startMarking()
  owner.wake()
  await untilOpen(1)
  owner.loseLease()
  await owner.lanes.drain([bucketOf(webhookId)], 0)
  await expectDelivered()
  answer(1, 200)
  await owner.stop()
})

test('a process that is killed between taking its mark back and giving back its lease leaves no request that is ended as what ended it', async () => {
  const { ctx } = service
  const owner = await startMarking()
  owner.wake()
  await untilOpen(1)
  owner.loseLease()
  const bucket = bucketOf(webhookId)
  await owner.lanes.drain([bucket], 0)
  // It was not given back: whoever finds it expired counts that against the lane.
  await countAbandons(ctx.database.db, [bucket], ctx.now())
  await expectDelivered()
  answer(1, 200)
  await owner.stop()
})

test('a marked request that could not be made is made later, and not ended as what ended its process', async () => {
  const { ctx } = service
  const { http } = ctx
  const owner = await startMarking()
  const refused = Promise.withResolvers<void>()
  ctx.http = {
    ...http,
    async post() {
      owner.loseLease()
      refused.resolve()
      return { kind: 'unsent', reason: 'no connection became free in time', durationMs: 15_000 }
    },
  }
  owner.wake()
  await refused.promise
  await owner.stop()
  ctx.http = http
  await expectDelivered()
})

test('a wake-up before its failures are written leaves a destination paused, until a person resumes it', async () => {
  const { ctx } = service
  const { peek } = ctx.database
  // Its pause never ends by itself, and what failed is not due again.
  const at = ctx.now()
  ctx.now = () => at
  const other = await service.createWebhook(receiver.url, { event_type: 'lead.lost' })
  await service.emit(Array.from({ length: 4 }, () => ({})))
  const owner = startOwner()
  owner.wake()
  for (const count of [1, 2]) {
    await untilOpen(1)
    answer(1, 500)
    await untilWritten(500, count)
  }
  await untilOpen(1)
  const held = await peek.startTransaction().execute()
  await held.selectFrom('deliveries').select('id').forUpdate().execute()
  answer(1, 500)
  await service.ctx.database.untilWaiting(1, 'deliveries')
  owner.wake()
  const [last] = await service.emit([{ type: 'lead.lost' }])
  owner.lanes.wake(service.workspaceId, other.id)
  await untilOpen(1)
  await held.commit().execute()
  await untilWritten(500, 3)
  await patch('disabled')
  // Whatever the paused one had sent would have come by now.
  expect(open.map(({ eventId }) => eventId)).toEqual([last])
  await patch('active')
  // No time has passed: a look that found nothing written yet would have been the last for a while.
  const wake = () => {
    owner.wake()
    return open.length
  }
  await expect.poll(wake, patience).toBe(2)
  answersAtOnce = true
  answer(2, 200)
  await owner.stop()
})

test('a destination that is dead holds no more than are kept, however many came during its pause', async () => {
  const { ctx, workspaceId } = service
  const { peek } = ctx.database
  const [event = ''] = await service.emit()
  const pauseEnds = new Date(ctx.now().getTime() + 300_000)
  const health = { failures: 3, failing_since: ctx.now(), not_before: pauseEnds }
  await peek
    .insertInto('webhook_lanes')
    .values({ workspace_id: workspaceId, webhook_id: webhookId, ...health })
    .execute()
  // More than are ended at once.
  await sql`
    insert into deliveries (workspace_id, id, bucket, webhook_id, event_id, due_at, expires_at)
    select workspace_id, gen_random_uuid(), bucket, webhook_id, event_id, due_at, expires_at
    from deliveries, generate_series(1, ${pendingMax + 50_000 + 7}::integer)
    where event_id = ${event}::uuid`.execute(peek)
  const owner = startOwner()
  // Once it has read how the destination stands, it pauses.
  const pending = async () => {
    owner.wake()
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from deliveries`.execute(peek)
    return rows[0]?.count
  }
  await expect.poll(pending, patience).toBe(pendingMax)
  expect(receiver.requests).toEqual([])
  await owner.stop()
})
