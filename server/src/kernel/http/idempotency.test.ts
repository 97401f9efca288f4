// Also runs on PostgreSQL 15: locks.
// Also runs through PgBouncer: locks and transactions of requests.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { patience } from '../../../test/patience.ts'
import { withIdempotency } from './idempotency.ts'

let api: TestApi
beforeAll(async () => {
  api = await testApi()
})
afterAll(() => api[Symbol.asyncDispose]())

/** A route that works under a lease; each of its requests ends when it is told to. */
function leasedRoute(key: string) {
  const naps: (() => void)[] = []
  let passedMs = 0
  const sleep = () => new Promise<void>((resolve) => void naps.push(resolve))
  const underWay: { succeed: (id: string) => void; fail: () => void }[] = []
  const arrivals: (() => void)[] = []
  const handler = () =>
    new Promise((resolve, reject) => {
      underWay.push({
        succeed: (id) => resolve({ id }),
        fail: () => reject(new Error('the work failed')),
      })
      arrivals.shift()?.()
    })
  const route = withIdempotency(handler, {
    mode: 'lease',
    mask: (body) => body,
    prepare: undefined,
  })
  const reply = { statusCode: 201, code: () => reply, header: () => reply }
  const ask = () =>
    route(
      {
        ...{
          ctx: { ...api.ctx, sleep, monotonicMs: () => passedMs },
          caller: { workspaceId: api.workspaceId },
        },
        ...{ headers: { 'idempotency-key': key }, method: 'POST', url: '/work', body: {} },
      } as unknown as FastifyRequest,
      reply as unknown as FastifyReply,
    )
  return {
    ask,
    /** The time has come at which the requests that are at work renew their leases, or try again. */
    renew: () => naps.splice(0).forEach((wake) => void wake()),
    pass(ms: number) {
      passedMs += ms
    },
    sleepers: () => naps.length,
    /** Resolves once the handler of the next request is at work. */
    async begin() {
      const arrived = new Promise<void>((resolve) => void arrivals.push(resolve))
      const answer = ask()
      await Promise.race([arrived, answer])
      const work = underWay.at(-1)
      if (!work) throw new Error('the handler was not called')
      return { answer, ...work }
    },
  }
}

const leaseMs = 60_000
const inProgress = { code: 'idempotency_key_in_progress' }

test('a request that fails after its lease was taken over does not free the key of the next one', async () => {
  const route = leasedRoute('fails late')
  const first = await route.begin()
  api.ctx.clock.advance(leaseMs + 1)
  const second = await route.begin()
  first.fail()
  await expect(first.answer).rejects.toThrow('the work failed')
  await expect(route.ask()).rejects.toMatchObject(inProgress)
  second.succeed('second')
  expect(await second.answer).toEqual({ id: 'second' })
  expect(await route.ask()).toEqual({ id: 'second' })
})

test('a request that succeeds after its lease was taken over does not answer for the next one', async () => {
  const route = leasedRoute('succeeds late')
  const first = await route.begin()
  api.ctx.clock.advance(leaseMs + 1)
  const second = await route.begin()
  first.succeed('first')
  expect(await first.answer).toEqual({ id: 'first' })
  await expect(route.ask()).rejects.toMatchObject(inProgress)
  second.succeed('second')
  await second.answer
  expect(await route.ask()).toEqual({ id: 'second' })
})

test('a request that takes longer than its lease keeps its key while it is at work', async () => {
  const route = leasedRoute('takes long')
  const first = await route.begin()
  const findUntil = () =>
    api.ctx.database.peek
      .selectFrom('idempotency_answers')
      .select('in_progress_until')
      .where('status', 'is', null)
      .executeTakeFirst()
  const before = await findUntil()
  api.ctx.clock.advance(leaseMs - 1)
  route.renew()
  await expect.poll(findUntil).not.toEqual(before)
  api.ctx.clock.advance(leaseMs - 1)
  await expect(route.ask()).rejects.toMatchObject(inProgress)
  first.succeed('first')
  expect(await first.answer).toEqual({ id: 'first' })
  expect(await route.ask()).toEqual({ id: 'first' })
})

test('who asks again is told to wait for the rest of a lease that nobody renews any more', async () => {
  const route = leasedRoute('gone')
  await route.begin()
  await expect(route.ask()).rejects.toMatchObject({
    ...inProgress,
    headers: { 'retry-after': '1' },
  })
  api.ctx.clock.advance(leaseMs - 12_300)
  await expect(route.ask()).rejects.toMatchObject({
    ...inProgress,
    headers: { 'retry-after': '13' },
  })
})

test('who asks again is told no lease of a request that is about to renew it', async () => {
  const route = leasedRoute('about to renew')
  const first = await route.begin()
  // Its request sleeps for a third of the lease, and then has to write.
  api.ctx.clock.advance(leaseMs / 3 + 2_000)
  await expect(route.ask()).rejects.toMatchObject({
    ...inProgress,
    headers: { 'retry-after': '1' },
  })
  first.succeed('first')
  await first.answer
})

test('a request that fails within its lease frees its key', async () => {
  const route = leasedRoute('fails')
  const first = await route.begin()
  await expect(route.ask()).rejects.toMatchObject(inProgress)
  first.fail()
  await expect(first.answer).rejects.toThrow('the work failed')
  const second = await route.begin()
  second.succeed('second')
  expect(await second.answer).toEqual({ id: 'second' })
})

/** Answers cannot be kept, or keys not be freed, as while the database takes no changes. */
async function refuse(change: 'update' | 'delete'): Promise<AsyncDisposable> {
  const { peek } = api.ctx.database
  // An answer is kept by it; without one it renews a lease.
  const isMeant = change === 'update' ? sql`new.status is not null` : sql`true`
  await sql`
    create function refuse_change() returns trigger language plpgsql as $$
    begin raise exception using errcode = '57P01'; end $$`.execute(peek)
  await sql`
    create trigger refuse_change before ${sql.raw(change)} on idempotency_answers
    for each row when (${isMeant}) execute function refuse_change()`.execute(peek)
  return {
    async [Symbol.asyncDispose]() {
      await sql`drop function refuse_change cascade`.execute(peek)
    },
  }
}

test('a request whose key cannot be freed says what failed', async () => {
  await using _ = await refuse('delete')
  const route = leasedRoute('not freed')
  const first = await route.begin()
  first.fail()
  await expect(first.answer).rejects.toThrow('the work failed')
  await expect(route.ask()).rejects.toMatchObject(inProgress)
})

test('a request that did its work keeps its key while its answer cannot be kept, and is answered', async () => {
  const route = leasedRoute('kept late')
  const first = await route.begin()
  {
    await using _ = await refuse('update')
    first.succeed('first')
    // It sleeps beside what renews its lease.
    await expect.poll(route.sleepers, patience).toBe(2)
    await expect(route.ask()).rejects.toMatchObject(inProgress)
  }
  route.renew()
  expect(await first.answer).toEqual({ id: 'first' })
  expect(await route.ask()).toEqual({ id: 'first' })
})

test('a request whose answer is never kept is answered, and does not free its key', async () => {
  await using _ = await refuse('update')
  const route = leasedRoute('never kept')
  const first = await route.begin()
  first.succeed('first')
  await expect.poll(route.sleepers, patience).toBe(2)
  route.pass(leaseMs)
  route.renew()
  expect(await first.answer).toEqual({ id: 'first' })
  await expect(route.ask()).rejects.toMatchObject(inProgress)
})

test('a key that was used or is in use is judged before parameters and body are', async () => {
  const ask = (url: string, body: object, key: string) =>
    api.call('POST', url, { body, headers: { 'idempotency-key': key } })
  const campaigns = '/api/v2/campaigns'
  const wrong = { name: 7 }
  expect((await ask(campaigns, wrong, 'of one')).status).toBe(400)
  expect((await ask(campaigns, { name: 'One' }, 'of one')).status).toBeLessThan(300)
  const reused = { status: 409, body: { code: 'idempotency_key_reused' } }
  expect(await ask(campaigns, wrong, 'of one')).toMatchObject(reused)
  expect(await ask('/api/v2/webhooks/nonsense/test', {}, 'of one')).toMatchObject(reused)
  const broken = await api.app.inject({
    ...{ method: 'POST', url: campaigns, payload: '{' },
    headers: {
      ...{ authorization: `Bearer ${api.key}`, 'content-type': 'application/json' },
      'idempotency-key': 'of one',
    },
  })
  expect(broken.json()).toMatchObject(reused.body)
  const { peek } = api.ctx.database
  const until = new Date(api.ctx.now().getTime() + leaseMs)
  const mark = { status: null, answer: null, in_progress_until: until }
  await peek.updateTable('idempotency_answers').set(mark).execute()
  expect(await ask(campaigns, wrong, 'of one')).toMatchObject({
    ...{ status: 409, headers: { 'retry-after': '1' }, body: inProgress },
  })
})
