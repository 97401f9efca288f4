import { beforeEach, expect, test } from 'vitest'
import { shareLoop } from './loop-share.ts'

// What other work has used of the turn is over once the loop has turned.
beforeEach(async () => {
  let nowMs = 0
  const clock = { monotonicMs: () => nowMs }
  await shareLoop(clock, () => {
    nowMs += 1000
  })
  await shareLoop(clock, () => undefined)
})

test('work of which much comes at once lets others in between, whoever asked for it', async () => {
  let nowMs = 0
  const order: string[] = []
  const piece = (name: string) => () => {
    nowMs += 6
    order.push(name)
  }
  setImmediate(() => order.push('another request'))
  const clock = { monotonicMs: () => nowMs }
  await Promise.all(['a', 'b', 'c', 'd'].map((name) => shareLoop(clock, piece(name))))
  expect(order).toEqual(['a', 'b', 'another request', 'c', 'd'])
})

test('a piece that fails is told of, and the next ones go on', async () => {
  const clock = { monotonicMs: () => 0 }
  const failing = shareLoop(clock, () => {
    throw new Error('not this one')
  })
  await expect(failing).rejects.toThrow('not this one')
  await expect(shareLoop(clock, () => 'done')).resolves.toBe('done')
})
