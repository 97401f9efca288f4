import { expect, test } from 'vitest'
import { testContext } from '../../../test/context.ts'
import { createSignal } from '../../../test/signal.ts'
import { Troubles } from '../troubles.ts'
import { startLoop } from './loop.ts'

test('a loop that fails again and again is told of once a minute by its code, and that it is over once', async () => {
  await using ctx = await testContext()
  let runs = 0
  const { going, sleep, monotonicMs } = quickTime()
  const codes = ['40P01', '42P01']
  const loop = startLoop({ ...ctx, sleep, monotonicMs }, 'discovery', 100, async () => {
    runs += 1
    // For three minutes, but for every third run, which asks nothing.
    if (runs <= 1800 && runs % 3 > 0)
      throw Object.assign(new Error('refused'), { code: codes[(runs % 3) - 1] })
  })
  await going.until(() => runs > 2200)
  await loop.stop()
  const lines = ctx.logLines.map((line) => JSON.parse(line))
  expect(lines).toHaveLength(7)
  const failed = lines.filter(({ msg }) => msg === 'a run failed and is tried again')
  for (const code of codes) {
    const told = failed.filter((line) => line.code === code)
    expect(told.map((line) => line.runs)).toEqual([1, 201, 401])
  }
  expect(lines.at(-1)).toMatchObject({ loop: 'discovery', runs: 1200, msg: 'runs succeed again' })
})

test('an outage of the database is told when it begins, every ten minutes and when it is over, and not by each loop', async () => {
  await using ctx = await testContext()
  const { going, sleep, monotonicMs } = quickTime()
  const config = { ...ctx.config, databaseUrl: 'postgres://u:hidden@10.0.0.5:5432/outrider' }
  const troubles = new Troubles({ log: ctx.log, monotonicMs })
  const codes = ['ECONNREFUSED', '57P01']
  const loops = ['discovery', 'leader', 'health'].map((name, at) => {
    let runs = 0
    return startLoop({ ...ctx, config, sleep, monotonicMs, troubles }, name, 100, async () => {
      // A quarter of an hour without a database, which every third run does not ask.
      if (monotonicMs() <= 900_000 && runs++ % 3 !== at)
        throw Object.assign(new Error('away'), { code: codes[runs % 2] })
    })
  })
  await going.until(() => monotonicMs() > 940_000)
  await Promise.all(loops.map((loop) => loop.stop()))
  const lines = ctx.logLines.map((line) => JSON.parse(line))
  const away = {
    ...{ loop: expect.any(String), code: expect.any(String) },
    msg: 'the database is away, and runs are tried again until it is back',
  }
  expect(lines).toMatchObject([
    { ...away, seconds: 0 },
    { ...away, seconds: 600 },
    { seconds: 900, msg: 'the database is back' },
  ])
  expect(lines[0]).not.toHaveProperty('stack')
  expect(ctx.logLines.join('')).not.toContain('hidden')
})

/** Each sleep takes a tenth of a second, at once. */
function quickTime() {
  let elapsedMs = 0
  const going = createSignal()
  const sleep = async () => {
    elapsedMs += 100
    going.raise()
    await new Promise(setImmediate)
  }
  return { going, sleep, monotonicMs: () => elapsedMs }
}
