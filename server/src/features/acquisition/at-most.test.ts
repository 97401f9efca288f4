import { expect, test } from 'vitest'
import { createSignal } from '../../../test/signal.ts'
import { createGate } from './at-most.ts'

test('at most so many run at once, the others in the order they came, also after a failure', async () => {
  const enter = createGate(2)
  const started: number[] = []
  const ends: PromiseWithResolvers<void>[] = []
  const start = createSignal()
  const runs = [0, 1, 2, 3, 4].map((number) =>
    enter(async () => {
      started.push(number)
      ends[number] = Promise.withResolvers<void>()
      start.raise()
      await ends[number].promise
    }),
  )
  const untilStarted = (number: number) => start.until(() => ends[number])
  await untilStarted(1)
  expect(started).toEqual([0, 1])
  ends[1]?.reject(new Error('one'))
  await expect(runs[1]).rejects.toThrow('one')
  await untilStarted(2)
  expect(started).toEqual([0, 1, 2])
  for (const number of [0, 2, 3, 4]) {
    const end = await untilStarted(number)
    end.resolve()
    await runs[number]
  }
  expect(started).toEqual([0, 1, 2, 3, 4])
  expect(await enter(async () => 'free')).toBe('free')
})
