import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { createSignal } from '../../../test/signal.ts'
import { listen } from '../db/listen.ts'
import { transaction } from '../db/transaction.ts'
import { hintChannel } from './hint.ts'
import { hintJob, startJob } from './job.ts'
import type { Scope } from './leader.ts'
import { allBuckets } from './leases.ts'

const kind = 'imports'
const [lower, upper] = [allBuckets.slice(0, 128), allBuckets.slice(128)]
/** Jobs by the runner that is told of them. */
const [ofLower, ofUpper] = ['7f', '80'].map((byte) => `0197a000-0000-7000-8000-0000000000${byte}`)

let ctx: TestContext
const stops: (() => Promise<void>)[] = []
beforeAll(async () => {
  ctx = await testContext()
})
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})
afterAll(() => ctx[Symbol.asyncDispose]())

interface Options {
  buckets?: number[]
  look?: () => Promise<void>
  isFull?: boolean
}

/** A runner whose loops go round and round, while its clock stands still. */
function startRunner(scope: Scope, { buckets = allBuckets, look, isFull = false }: Options = {}) {
  let elapsedMs = 0
  let looks = 0
  let rounds = 0
  const changed = createSignal()
  const own = {
    ...ctx,
    monotonicMs: () => elapsedMs,
    sleep: (_ms: number, signal?: AbortSignal) => {
      rounds += 1
      changed.raise()
      return wait(10, undefined, signal ? { signal } : {}).catch(() => undefined)
    },
  }
  const job = startJob(own, kind, {
    scope: () => scope,
    buckets: () => buckets,
    listen: (onHint) => listen(ctx.database.url, hintChannel, onHint, ctx.log),
    async look() {
      looks += 1
      changed.raise()
      await look?.()
    },
    isFull: () => isFull,
  })
  stops.push(job.stop)
  return {
    looks: () => looks,
    looked: (count: number) => changed.until(() => looks >= count),
    /** Resolves when each of its loops has gone round once more. */
    async goRound() {
      const before = rounds
      await changed.until(() => rounds >= before + 4)
    },
    elapse: (ms: number) => {
      elapsedMs += ms
    },
  }
}

const begin = (id = '') => transaction(ctx, async (tx) => hintJob(tx, kind, id))

test('one runner is told of a new job, and the others ask nothing', async () => {
  const first = startRunner('none', { buckets: lower })
  const second = startRunner('none', { buckets: upper })
  // Who listens late hears nothing: told until it is heard.
  while (first.looks() === 0) {
    await begin(ofLower)
    await first.goRound()
  }
  expect(second.looks()).toBe(0)
  while (second.looks() === 0) {
    await begin(ofUpper)
    await second.goRound()
  }
})

test('what no hint told of the leader finds within five seconds', async () => {
  const leader = startRunner('all')
  await leader.looked(1)
  await leader.goRound()
  leader.elapse(4_999)
  await leader.goRound()
  expect(leader.looks()).toBe(1)
  leader.elapse(1)
  await leader.looked(2)
})

test('where nobody leads, each looks for itself', async () => {
  await startRunner('own').looked(3)
})

test('a leader that is busy, or full, lets another runner look', async () => {
  const work = Promise.withResolvers<void>()
  stops.push(async () => work.resolve())
  startRunner('all', { buckets: lower, look: () => work.promise })
  const other = startRunner('none', { buckets: upper })
  await other.looked(2)
  for (const stop of stops.splice(0)) await stop()
  startRunner('all', { buckets: lower, isFull: true })
  await startRunner('none', { buckets: upper }).looked(1)
})
