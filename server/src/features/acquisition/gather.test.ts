import { expect, test } from 'vitest'
import { createSignal } from '../../../test/signal.ts'
import { gather } from './gather.ts'

test('what is asked for during a run forms the next, and each gets its own answer', async () => {
  const runs: number[][] = []
  const release: (() => void)[] = []
  const run = createSignal()
  const double = gather<number, number>(3, async (numbers) => {
    runs.push(numbers)
    await new Promise<void>((resolve) => {
      release.push(resolve)
      run.raise()
    })
    return numbers.map((number) => number * 2)
  })
  const first = [double(1), double(2)]
  await run.until(() => release[0])
  expect(runs).toEqual([[1, 2]])
  const next = [double(3), double(4), double(5), double(6)]
  for (const at of [0, 1, 2]) {
    const end = await run.until(() => release[at])
    expect(release).toHaveLength(at + 1)
    end()
  }
  expect(await Promise.all([...first, ...next])).toEqual([2, 4, 6, 8, 10, 12])
  expect(runs).toEqual([[1, 2], [3, 4, 5], [6]])
})

test('a run that fails fails those in it and nobody after', async () => {
  const odd = gather<number, number>(10, async (numbers) => {
    if (numbers.includes(2)) throw new Error('two')
    return numbers
  })
  await expect(Promise.all([odd(1), odd(2)])).rejects.toThrow('two')
  expect(await odd(3)).toBe(3)
})
