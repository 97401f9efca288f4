import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../test/context.ts'
import { createSignal } from '../../test/signal.ts'
import { SandboxClock } from './clock.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

let ctx: TestContext
beforeAll(async () => {
  ctx = await testContext()
  ctx.clock.run()
})
afterAll(() => ctx[Symbol.asyncDispose]())

function sandboxTime(now = ctx.now) {
  const failures: unknown[] = []
  const onFailure = (error: unknown) => failures.push(error)
  const look = createSignal()
  let looks = 0
  const sleep: TestContext['sleep'] = async (ms, signal) => {
    await ctx.sleep(ms, signal)
    looks += 1
    look.raise()
  }
  const clock = new SandboxClock({ ...ctx, now, sleep }, { daysAgo: 21, leapMs: hourMs, onFailure })
  return {
    clock,
    failures,
    /** Resolves once it has looked so often whether it may leap. */
    looked: async (times: number) => {
      const enough = looks + times
      await look.until(() => looks >= enough)
    },
    [Symbol.asyncDispose]: () => clock.stop(),
  }
}

const at = (clock: SandboxClock, ms: number) =>
  new Promise<Date>((resolve) => clock.in(ms, async () => resolve(clock.now())))

test('it begins in the morning so many days ago and leaps from one appointment to the next', async () => {
  await using world = sandboxTime()
  const { clock } = world
  const start = clock.now()
  const threeWeeksAgo = new Date(ctx.now().getTime() - 21 * dayMs)
  // It goes on meanwhile.
  expect(start.getTime() - threeWeeksAgo.setUTCHours(7, 30, 0, 0)).toBeLessThan(60_000)
  expect(start.getUTCHours()).toBe(7)
  const met = [at(clock, 5 * hourMs), at(clock, hourMs)]
  clock.start()
  const [later, sooner] = (await Promise.all(met)) as [Date, Date]
  expect(sooner < later).toBe(true)
  expect(later.getTime() - start.getTime()).toBeGreaterThanOrEqual(5 * hourMs)
  await world.looked(1)
  expect(clock.isFree).toBe(true)
})

test('it does not leap while a transaction is open', async () => {
  await using world = sandboxTime()
  const { clock, looked } = world
  clock.start()
  await at(clock, hourMs)
  const openMs = await ctx.db.transaction().execute(async () => {
    const before = clock.now().getTime()
    await looked(20)
    return clock.now().getTime() - before
  })
  expect(openMs).toBeLessThan(hourMs / 2)
  await at(clock, hourMs)
})

test('it does not leap while an appointment is kept; what fails in one is told', async () => {
  await using world = sandboxTime()
  const { clock, failures, looked } = world
  clock.start()
  const { promise: kept, resolve } = Promise.withResolvers<number>()
  clock.in(hourMs, async () => {
    const before = clock.now().getTime()
    await looked(20)
    resolve(clock.now().getTime() - before)
    throw new Error('it did not work')
  })
  expect(await kept).toBeLessThan(hourMs / 2)
  await at(clock, hourMs)
  expect(failures).toEqual([new Error('it did not work')])
})

test('it never passes the present', async () => {
  const present = ctx.now()
  await using world = sandboxTime(() => present)
  const { clock, looked } = world
  expect(clock.isBehind).toBe(true)
  clock.catchUp()
  clock.start()
  await looked(3)
  expect(clock.now()).toEqual(present)
  expect(clock.isBehind).toBe(false)
})
