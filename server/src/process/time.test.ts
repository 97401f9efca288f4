import { once } from 'node:events'
import { expect, test } from 'vitest'
import { testContext } from '../../test/context.ts'
import { createSignal } from '../../test/signal.ts'
import { createClock } from '../kernel/clock.ts'
import { listPartitions } from '../kernel/db/partitions.ts'
import { partitionedTables } from '../partitions.ts'
import { keepTime, setByDatabase } from './time.ts'

const dayMs = 86_400_000

test('when the clock has leapt, partitions of the new time are there as soon as it is known', async () => {
  await using ctx = await testContext()
  const clock = createClock()
  await setByDatabase(clock, ctx.db)
  const leap = Promise.withResolvers<void>()
  const kept = Promise.withResolvers<void>()
  let pauses = 0
  const sleep = async (_ms: number, signal?: AbortSignal) => {
    pauses += 1
    if (pauses === 1) return leap.promise
    // All that follows from the leap is done.
    kept.resolve()
    if (signal) await once(signal, 'abort')
  }
  const { now, monotonicMs } = clock
  await using _keeping = keepTime({ ...ctx, now, monotonicMs, sleep }, clock)
  const later = new Date(ctx.now().getTime() + 60 * dayMs)
  await ctx.database.setClock(later)
  leap.resolve()
  await kept.promise
  for (const table of partitionedTables) {
    const partitions = await listPartitions(ctx.db, table)
    expect(partitions.some(({ start, end }) => start <= later && later < end)).toBe(true)
  }
})

test('after a sleep of the machine the database is asked at once, and not when the pause is over', async () => {
  await using ctx = await testContext()
  let asleepMs = 0
  const clock = createClock(undefined, () => Date.now() + asleepMs)
  await setByDatabase(clock, ctx.db)
  const pauses = createSignal()
  let paused = 0
  const sleep = async (_ms: number, signal?: AbortSignal) => {
    paused += 1
    pauses.raise()
    if (signal) await once(signal, 'abort')
  }
  const { now, monotonicMs } = clock
  await using _keeping = keepTime({ ...ctx, now, monotonicMs, sleep }, clock)
  await pauses.until(() => paused === 1)
  const before = now()
  asleepMs = dayMs
  // The database lies on a machine that was awake, and is the judge.
  expect(now().getTime() - before.getTime()).toBeGreaterThanOrEqual(dayMs)
  await pauses.until(() => paused === 2)
  expect(now().getTime() - before.getTime()).toBeLessThan(dayMs)
})
