import pino from 'pino'
import { expect, test } from 'vitest'
import type { Context } from '../context.ts'
import { type GroupOptions, GroupWriter } from './group-writer.ts'

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

function makeWriter(options: Partial<GroupOptions> = {}) {
  const { ctx, sleeps, wake } = makeContext()
  const writes: { items: number[]; end: (error?: unknown) => Promise<void> }[] = []
  const write = (_ctx: Context, items: number[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<number[]>()
    const end = (error?: unknown) => {
      if (error === undefined) resolve(items.map((item) => 10 * item))
      else reject(error)
      return settled()
    }
    writes.push({ items, end })
    return promise
  }
  const writer = new GroupWriter<number, number>(ctx, 'tests', write, {
    ...{ batchMax: 3, gatherMs: 1, isOneStatement: true },
    ...options,
  })
  return { writer, writes, sleeps, wake }
}

test('what arrives together is one batch, and each gets its own answer', async () => {
  const { writer, writes, wake } = makeWriter()
  const answers = Promise.all([1, 2, 3].map((item) => writer.add(item)))
  await wake(1)
  expect(writes.map(({ items }) => items)).toEqual([[1, 2, 3]])
  await writes[0]?.end()
  expect(await answers).toEqual([10, 20, 30])
})

test('two batches are written at once, and whoever waits for all waits for both', async () => {
  const { writer, writes, wake } = makeWriter({ writersMax: 2 })
  void writer.add(1)
  await wake(1)
  void writer.add(2)
  await wake(1)
  expect(writes.map(({ items }) => items)).toEqual([[1], [2]])
  let isFlushed = false
  const flushed = writer.flush().then(() => {
    isFlushed = true
  })
  await writes[1]?.end()
  expect(isFlushed).toBe(false)
  await writes[0]?.end()
  await flushed
})

test('a batch whose connection was lost is written again, as it was', async () => {
  const { writer, writes, wake } = makeWriter()
  const answer = writer.add(1)
  await wake(1)
  void writer.add(2)
  await writes[0]?.end(Object.assign(new Error('terminated'), { code: '57P01' }))
  await wake(20)
  expect(writes.map(({ items }) => items)).toEqual([[1], [1]])
  await writes[1]?.end()
  expect(await answer).toBe(10)
})

test('a value that the database refuses fails its own item only', async () => {
  const { writer, writes, wake } = makeWriter()
  const answers = Promise.allSettled([1, 2, 3].map((item) => writer.add(item)))
  await wake(1)
  const refused = Object.assign(new Error('refused'), { code: '22P05' })
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
  const { writer, writes, sleeps, wake } = makeWriter({
    batchMax: 100,
    flow: { batchMin: 50, gatherMs: 7 },
  })
  const add = (count: number) => {
    for (let i = 0; i < count; i++) void writer.add(i)
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
  const { writer, writes, wake } = makeWriter({
    batchMax: 100,
    bytes: { of: (item) => item as number, batchMax: 10 },
  })
  for (const bytes of [4, 6, 1, 30, 2]) void writer.add(bytes)
  expect(writer.pendingBytes).toBe(43)
  await wake(1)
  for (let at = 0; at < writes.length; at++) await writes[at]?.end()
  expect(writes.map(({ items }) => items)).toEqual([[4, 6], [1], [30], [2]])
  expect(writer.pendingBytes).toBe(0)
})
