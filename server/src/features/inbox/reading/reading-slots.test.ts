import { expect, test } from 'vitest'
import type { AnyContext } from '../../../kernel/context.ts'
import { ReadingSlots } from './reading-slots.ts'

/** A server may take a minute for its answer: a reading that was begun ends when the test says so. */
function readings() {
  const clock = { ms: 0 }
  const slots = new ReadingSlots({ monotonicMs: () => clock.ms } as unknown as AnyContext)
  const ends = new Map<string, (error?: Error) => void>()
  const read = (mailbox: string, workspace = mailbox) =>
    slots
      .run(workspace, mailbox, () => {
        const { promise, resolve, reject } = Promise.withResolvers<void>()
        ends.set(mailbox, (error) => (error ? reject(error) : resolve()))
        return promise
      })
      .catch(() => undefined)
  const end = async (mailbox: string, error?: Error) => {
    ends.get(mailbox)?.(error)
    ends.delete(mailbox)
    await settled()
  }
  const pass = async (ms: number) => {
    clock.ms += ms
    slots.review()
    await settled()
  }
  return { slots, read, end, pass, running: () => [...ends.keys()] }
}

const settled = () => new Promise<void>((resolve) => void setImmediate(resolve))
const many = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, number) => `${prefix}${number}`)

test('however many servers answer just within their time, those that answer at once are read', async () => {
  const { read, end, pass, running } = readings()
  for (const good of many('good', 3)) {
    void read(good)
    await settled()
    await end(good)
  }
  for (const slow of many('slow', 100)) void read(slow)
  await pass(1_000)
  // They have a minute for each command, and are begun anew all the while.
  for (let seconds = 0; seconds < 120; seconds += 10) {
    await pass(10_000)
    for (const slow of running()) {
      await end(slow)
      void read(slow)
    }
    for (const good of many('good', 3)) {
      void read(good)
      await settled()
      expect(running()).toContain(good)
      await end(good)
    }
  }
})

test('new mailboxes are read beside servers that hang, as soon as those count as slow', async () => {
  const { read, pass, running } = readings()
  for (const slow of many('slow', 16)) void read(slow)
  void read('new')
  await settled()
  expect(running()).not.toContain('new')
  await pass(5_000)
  await pass(5_000)
  expect(running()).toContain('new')
})

test('one workspace leaves room for the others', async () => {
  const { read, running } = readings()
  for (const own of many('own', 30)) void read(own, 'a')
  void read('other', 'b')
  await settled()
  expect(running()).toHaveLength(7)
  expect(running()).toContain('other')
})

test('who was slow once has its turn again, and is proven by a quick reading', async () => {
  const { read, end, pass, running } = readings()
  void read('late')
  await pass(6_000)
  await end('late')
  void read('late')
  await settled()
  await end('late')
  for (const slow of many('slow', 100)) void read(slow)
  await pass(6_000)
  await pass(6_000)
  await pass(6_000)
  void read('late')
  await settled()
  expect(running()).toContain('late')
})
