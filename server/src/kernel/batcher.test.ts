import pino from 'pino'
import { expect, test } from 'vitest'
import { Batcher, type BatcherOptions } from './batcher.ts'
import type { Context } from './context.ts'
import { isRefused } from './db/batch-writer.ts'

/** Sleeps are written down and end when the test lets them. */
function makeContext() {
  const sleeps: { ms: number; end: () => void }[] = []
  const sleep = (ms: number) =>
    new Promise<void>((resolve) => void sleeps.push({ ms, end: resolve }))
  const ctx = { sleep, log: pino({ level: 'silent' }) } as unknown as Context
  const wake = async (ms: number) => {
    const sleeping = sleeps.find((each) => each.ms === ms)
    if (!sleeping) throw new Error(`Nobody sleeps for ${ms} ms.`)
    sleeps.splice(sleeps.indexOf(sleeping), 1)
    sleeping.end()
    await settled()
  }
  return { ctx, sleeps, wake }
}

/** All that follows without anything from outside. */
const settled = () => new Promise<void>((resolve) => void setImmediate(resolve))

function makeBatcher(options: Partial<BatcherOptions<number>> = {}, retries = true) {
  const { ctx, sleeps, wake } = makeContext()
  const writes: { items: number[]; end: (error?: unknown) => Promise<void> }[] = []
  const write = (items: number[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<number[]>()
    const end = (error?: unknown) => {
      if (error === undefined) resolve(items.map((item) => 10 * item))
      else reject(error)
      return settled()
    }
    writes.push({ items, end })
    return promise
  }
  const batcher = new Batcher<number, number>(ctx, 'tests', write, {
    ...{ itemsMax: 3, gather: 1, ...options },
    ...(retries ? { retry: { isRefused } } : {}),
  })
  return { batcher, writes, sleeps, wake }
}

test('what arrives together is one batch, and each gets its own answer', async () => {
  const { batcher, writes, wake } = makeBatcher()
  const answers = Promise.all([1, 2, 3].map((item) => batcher.add(item)))
  await wake(1)
  expect(writes.map(({ items }) => items)).toEqual([[1, 2, 3]])
  await writes[0]?.end()
  expect(await answers).toEqual([10, 20, 30])
})

test('two batches are written at once, and whoever waits for all waits for both', async () => {
  const { batcher, writes, wake } = makeBatcher({ concurrency: 2 })
  void batcher.add(1)
  await wake(1)
  void batcher.add(2)
  await wake(1)
  expect(writes.map(({ items }) => items)).toEqual([[1], [2]])
  let isFlushed = false
  const flushed = batcher.flush().then(() => {
    isFlushed = true
  })
  await writes[1]?.end()
  expect(isFlushed).toBe(false)
  await writes[0]?.end()
  await flushed
})

test('whoever waits for all does not wait for what is added meanwhile', async () => {
  const { batcher, writes, wake } = makeBatcher()
  void batcher.add(1)
  await wake(1)
  void batcher.add(2)
  let isFlushed = false
  const flushed = batcher.flush().then(() => {
    isFlushed = true
  })
  void batcher.add(3)
  await writes[0]?.end()
  for (const batch of [1, 2, 3]) {
    expect(isFlushed).toBe(batch > 1)
    void batcher.add(3 + batch)
    await writes[batch]?.end()
  }
  await flushed
})

test('a batch whose connection was lost is written again, as it was', async () => {
  const { batcher, writes, wake } = makeBatcher()
  const answer = batcher.add(1)
  await wake(1)
  void batcher.add(2)
  await writes[0]?.end(Object.assign(new Error('terminated'), { code: '57P01' }))
  await wake(20)
  expect(writes.map(({ items }) => items)).toEqual([[1], [1]])
  await writes[1]?.end()
  expect(await answer).toBe(10)
})

test.each([
  ['that the database refuses', Object.assign(new Error('refused'), { code: '22P05' })],
  ['that is too long for an index', Object.assign(new Error('refused'), { code: '54000' })],
  ['that cannot be read', new SyntaxError('Unexpected token')],
])('a value %s fails its own item only', async (_, refused) => {
  const { batcher, writes, wake } = makeBatcher()
  const answers = Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)))
  await wake(1)
  for (let at = 0; at < writes.length; at++) {
    const { items, end } = writes[at] as (typeof writes)[number]
    await end(items.includes(2) ? refused : undefined)
  }
  expect((await answers).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
})

test('in full flow a batch waits for its kind, and a few do not', async () => {
  const { batcher, writes, sleeps, wake } = makeBatcher({
    itemsMax: 100,
    flow: { itemsMin: 50, gatherMs: 7 },
  })
  const add = (count: number) => {
    for (let i = 0; i < count; i++) void batcher.add(i)
  }
  add(1)
  await wake(1)
  add(30)
  await writes[0]?.end()
  expect(writes).toHaveLength(1)
  add(40)
  await wake(7)
  expect(writes[1]?.items).toHaveLength(70)
  add(5)
  await writes[1]?.end()
  expect(sleeps).toEqual([])
  expect(writes[2]?.items).toHaveLength(5)
})

test('a batch ends before it is too large, and what alone is larger goes by itself', async () => {
  const { batcher, writes, wake } = makeBatcher({
    itemsMax: 100,
    bytes: { of: (item) => item, max: 10 },
  })
  for (const bytes of [4, 6, 1, 30, 2]) void batcher.add(bytes)
  await wake(1)
  for (let at = 0; at < writes.length; at++) await writes[at]?.end()
  expect(writes.map(({ items }) => items)).toEqual([[4, 6], [1], [30], [2]])
})

test('what is asked for while a batch runs forms the next, in one turn of the event loop', async () => {
  const { batcher, writes } = makeBatcher({ gather: 'turn' })
  const first = Promise.all([batcher.add(1), batcher.add(2)])
  await settled()
  expect(writes.map(({ items }) => items)).toEqual([[1, 2]])
  const next = Promise.all([3, 4, 5, 6].map((item) => batcher.add(item)))
  await settled()
  expect(writes).toHaveLength(1)
  for (let at = 0; at < 3; at++) await writes[at]?.end()
  expect(await first).toEqual([10, 20])
  expect(await next).toEqual([30, 40, 50, 60])
  expect(writes.map(({ items }) => items)).toEqual([[1, 2], [3, 4, 5], [6]])
})

test('without retries a batch that fails fails those in it and nobody after', async () => {
  const { batcher, writes } = makeBatcher({ gather: 'microtask' }, false)
  const answers = Promise.allSettled([1, 2].map((item) => batcher.add(item)))
  await settled()
  await writes[0]?.end(new Error('lost'))
  expect((await answers).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const next = batcher.add(3)
  await settled()
  await writes[1]?.end()
  expect(await next).toBe(30)
})

test('a key has one batch at a time, and keys take turns at the batches there may be', async () => {
  const { batcher, writes } = makeBatcher({
    ...{ gather: 'microtask', concurrency: 2, itemsMax: 2 },
    keyOf: (item) => String(Math.floor(item / 10)),
  })
  for (const item of [11, 12, 13, 21, 31, 41]) void batcher.add(item)
  await settled()
  expect(writes.map(({ items }) => items)).toEqual([[11, 12], [21]])
  await writes[1]?.end()
  expect(writes[2]?.items).toEqual([31])
  await writes[0]?.end()
  expect(writes[3]?.items).toEqual([41])
  await writes[2]?.end()
  expect(writes[4]?.items).toEqual([13])
})

test('where it is known whose fault a failure is, those fail alone and the others run again together', async () => {
  const ran: string[][] = []
  const batches = new Batcher<string, string>(
    makeContext().ctx,
    'test',
    async (items) => {
      ran.push(items)
      if (items.includes('moving')) throw new Error('moving')
      return items
    },
    {
      ...{ itemsMax: 10, gather: 'turn', retry: { isRefused: () => false } },
      faultOf: () => (item) => item === 'moving',
    },
  )
  const items = ['a', 'moving', 'b', 'moving', 'c']
  const results = await Promise.allSettled(items.map((item) => batches.add(item)))
  expect(results.map(({ status }) => status === 'fulfilled')).toEqual([
    true,
    false,
    true,
    false,
    true,
  ])
  expect(ran).toEqual([items, ['a', 'b', 'c']])
})
