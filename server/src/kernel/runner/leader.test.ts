// Also runs on PostgreSQL 15: a lease that many ask for.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { createSignal } from '../../../test/signal.ts'
import type { ProcessContext } from '../context.ts'
import { listen } from '../db/listen.ts'
import { hintChannel } from './hint.ts'
import { type Leader, startLeader } from './leader.ts'

let ctx: TestContext
const stops: (() => Promise<void>)[] = []
beforeAll(async () => {
  ctx = await testContext()
})
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})
afterAll(() => ctx[Symbol.asyncDispose]())

interface Runner extends Leader {
  /** Moves its clock by a second, and lets it do what it does once in a second. */
  beat: () => Promise<void>
  /** Moves its clock alone, as for a runner that stands still. */
  elapse: (ms: number) => void
  /** How often it has asked the database something. */
  asked: () => number
  /** Resolves once it has heard the sign of a leader so often. */
  heard: (count: number) => Promise<unknown>
}

async function startRunner(): Promise<Runner> {
  let elapsedMs = 0
  let asked = 0
  let heard = 0
  let pauses = 0
  let wake: () => void = () => undefined
  const hearing = createSignal()
  const pausing = createSignal()
  const own: ProcessContext = {
    ...ctx,
    monotonicMs: () => elapsedMs,
    get db() {
      asked += 1
      return ctx.db
    },
    sleep: (_ms, signal) =>
      new Promise((resolve) => {
        pauses += 1
        wake = resolve
        signal?.addEventListener('abort', () => resolve())
        pausing.raise()
      }),
  }
  const leader = await startLeader(own, (onHint) =>
    listen(
      ctx.database.url,
      hintChannel,
      (hint) => {
        onHint(hint)
        heard += 1
        hearing.raise()
      },
      ctx.log,
    ),
  )
  await pausing.until(() => pauses > 0)
  stops.push(leader.stop)
  return {
    ...leader,
    async beat() {
      elapsedMs += 1_000
      const before = pauses
      wake()
      await pausing.until(() => pauses > before)
    },
    elapse: (ms) => {
      elapsedMs += ms
    },
    asked: () => asked,
    heard: (count) => hearing.until(() => heard >= count),
  }
}

const expireLease = () =>
  ctx.database.peek
    .updateTable('bucket_leases')
    .set({ leased_until: new Date(0) })
    .where('kind', '=', 'leader')
    .execute()

test('one runner looks for all, and the others ask the database nothing while they hear of it', async () => {
  const first = await startRunner()
  expect(first.scope()).toBe('all')
  const others = [await startRunner(), await startRunner()]
  // They have not heard of it yet.
  expect(others.map(({ scope }) => scope())).toEqual(['own', 'own'])
  for (let beats = 1; beats <= 3; beats++) {
    await first.beat()
    for (const other of others) await other.heard(beats)
  }
  const asked = others.map((other) => other.asked())
  for (const other of others) await other.beat()
  expect(others.map((other) => other.asked())).toEqual(asked)
  expect([first, ...others].map(({ scope }) => scope())).toEqual(['all', 'none', 'none'])
})

test('who hears nothing looks for itself at once, and for all when the lease has ended', async () => {
  const [first, second] = [await startRunner(), await startRunner()]
  await first.beat()
  await second.heard(1)
  expect(second.scope()).toBe('none')
  // The first stands still from here on.
  second.elapse(2_500)
  expect(second.scope()).toBe('own')
  await second.beat()
  expect(second.scope()).toBe('own')
  await expireLease()
  await second.beat()
  expect(second.scope()).toBe('all')
  // Its lease was over for long, by its own clock, too.
  first.elapse(4_000)
  expect(first.scope()).not.toBe('all')
  await first.beat()
  expect(first.scope()).not.toBe('all')
})

test('a leader that stops leaves the lease to the next one that asks', async () => {
  const [first, second] = [await startRunner(), await startRunner()]
  expect(second.scope()).toBe('own')
  await first.stop()
  await second.beat()
  expect(second.scope()).toBe('all')
})
