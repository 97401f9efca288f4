import { expect, test } from 'vitest'
import { EndlessLoop, type Owner, Scheduler } from './scheduler.ts'

const running = (): Owner => ({ alive: true, stalledUntilMs: 0 })

test('a gate opens only when all that was done before has come to rest', async () => {
  const scheduler = new Scheduler()
  const done: string[] = []
  const workLong = async (what: string) => {
    for (let turn = 0; turn < 100; turn++) await undefined
    done.push(what)
  }
  scheduler.after(1, null, () => {
    done.push('one opens')
    void workLong('after one')
  })
  scheduler.after(1, null, () => void done.push('two opens'))
  void workLong('before one')
  await scheduler.runUntil(2)
  expect(done).toEqual(['before one', 'one opens', 'after one', 'two opens'])
})

test('gates open by their time, and those of one time in the order they were made', async () => {
  const scheduler = new Scheduler()
  const opened: string[] = []
  for (const [name, atMs] of [
    ['c', 5],
    ['a', 2],
    ['d', 5],
    ['b', 3],
  ] as const) {
    scheduler.after(atMs, null, () => void opened.push(`${name} at ${scheduler.nowMs}`))
  }
  await scheduler.runUntil(4)
  expect(opened).toEqual(['a at 2', 'b at 3'])
  await scheduler.runUntil(5)
  expect(opened.slice(2)).toEqual(['c at 5', 'd at 5'])
})

test('what belongs to a process waits while it is stalled, and never happens once it is dead', async () => {
  const scheduler = new Scheduler()
  const [stalled, dead] = [running(), running()]
  const opened: number[] = []
  scheduler.after(1, stalled, () => void opened.push(scheduler.nowMs))
  scheduler.after(1, dead, () => void opened.push(Number.NaN))
  stalled.stalledUntilMs = 7
  dead.alive = false
  await scheduler.runUntil(10)
  expect(opened).toEqual([7])
})

test('a loop that waits for the time within one step is ended', async () => {
  const scheduler = new Scheduler()
  let caught: unknown
  scheduler.after(1, null, () => {
    try {
      while (scheduler.look() < 2);
    } catch (error) {
      caught = error
    }
  })
  await scheduler.runUntil(3)
  expect(caught).toBeInstanceOf(EndlessLoop)
})

test('sleeps that never bring the time on are ended', async () => {
  const scheduler = new Scheduler()
  const again = () => scheduler.after(0, null, again)
  scheduler.after(1, null, again)
  await expect(scheduler.runUntil(3)).rejects.toThrow(EndlessLoop)
})
