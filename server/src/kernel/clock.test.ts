import { expect, test } from 'vitest'
import { createClock } from './clock.ts'

const hourMs = 3_600_000
const friday = new Date('2026-11-20T16:50:00Z')

/** A machine, whose clocks read as told; the database's goes with the wall clock. */
async function createMachine() {
  let awakeMs = 1000
  let wallMs = friday.getTime()
  const clock = createClock(
    () => awakeMs,
    () => wallMs,
  )
  const readTime = async () => new Date(wallMs)
  await clock.synchronise(readTime)
  return {
    clock,
    readTime,
    pass: (ms: number) => {
      awakeMs += ms
      wallMs += ms
    },
    /** The wall clock alone: the machine slept, or its clock was put. */
    leap: (ms: number) => {
      wallMs += ms
    },
    wall: () => new Date(wallMs),
  }
}

test('a machine that slept knows at once what time it is, and that its deadlines are over', async () => {
  const { clock, pass, leap, wall } = await createMachine()
  const deadlineMs = clock.monotonicMs() + 25_000
  pass(1000)
  expect(clock.now()).toEqual(new Date(friday.getTime() + 1000))
  leap(9 * hourMs)
  expect(clock.now()).toEqual(wall())
  expect(clock.monotonicMs()).toBeGreaterThan(deadlineMs)
  pass(1000)
  expect(clock.now()).toEqual(wall())
})

test('a clock that is put back takes back neither the time of the database nor a duration, and has it asked', async () => {
  const { clock, pass, leap } = await createMachine()
  let leaps = 0
  clock.onLeap(() => {
    leaps += 1
  })
  const beforeMs = clock.monotonicMs()
  leap(-hourMs)
  pass(1000)
  expect(clock.now()).toEqual(new Date(friday.getTime() + 1000))
  expect(clock.monotonicMs()).toBe(beforeMs + 1000)
  expect(leaps).toBe(1)
})

test('a clock that is put right little by little has not leapt', async () => {
  const { clock, pass, leap } = await createMachine()
  let databaseMs = friday.getTime()
  for (let n = 0; n < 20; n++) {
    leap(500)
    pass(30_000)
    databaseMs += 30_000
    await clock.synchronise(async () => new Date(databaseMs))
    expect(clock.now()).toEqual(new Date(databaseMs))
  }
  expect(clock.monotonicMs()).toBe(1000 + 20 * 30_000)
})

test('of a database whose clock is another it is the database’s time after a sleep, too', async () => {
  const { clock, leap, wall } = await createMachine()
  const behind = (ms: number) => new Date(wall().getTime() - ms)
  await clock.synchronise(async () => behind(hourMs))
  leap(9 * hourMs)
  expect(clock.now()).toEqual(behind(hourMs))
})

test('an answer that was on its way while the machine slept is asked for again', async () => {
  for (const side of ['before', 'after']) {
    const { clock, leap, readTime, wall } = await createMachine()
    let answers = 0
    await clock.synchronise(async () => {
      answers += 1
      if (answers > 1) return readTime()
      const made = wall()
      leap(9 * hourMs)
      return side === 'before' ? made : wall()
    })
    expect(answers).toBe(2)
    expect(clock.now()).toEqual(wall())
  }
})

test('what the clock of a machine was put to is believed for no longer than the database is asked', async () => {
  const { clock, leap, wall } = await createMachine()
  let leaps = 0
  clock.onLeap(() => {
    leaps += 1
  })
  const time = wall()
  leap(9 * hourMs)
  clock.now()
  clock.monotonicMs()
  expect(leaps).toBe(1)
  await clock.synchronise(async () => time)
  expect(clock.now()).toEqual(time)
})
