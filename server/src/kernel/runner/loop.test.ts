import { expect, test } from 'vitest'
import { testContext } from '../../../test/context.ts'
import { createSignal } from '../../../test/signal.ts'
import { startLoop } from './loop.ts'

test('a loop that fails again and again is told of once a minute by its code, and that it is over once', async () => {
  await using ctx = await testContext()
  let elapsedMs = 0
  let runs = 0
  const going = createSignal()
  const sleep = async () => {
    // Ten runs a second.
    elapsedMs += 100
    going.raise()
    await new Promise(setImmediate)
  }
  const config = { ...ctx.config, databaseUrl: 'postgres://u:hidden@10.0.0.5:5432/outrider' }
  const codes = ['ECONNREFUSED', '57P03']
  const loop = startLoop(
    { ...ctx, config, sleep, monotonicMs: () => elapsedMs },
    'discovery',
    100,
    async () => {
      runs += 1
      // Three minutes without a database, which every third run does not ask.
      if (runs <= 1800 && runs % 3 > 0)
        throw Object.assign(new Error('away'), { code: codes[(runs % 3) - 1] })
    },
  )
  await going.until(() => runs > 2200)
  await loop.stop()
  const lines = ctx.logLines.map((line) => JSON.parse(line))
  expect(lines).toHaveLength(7)
  const failed = lines.filter(({ msg }) => msg === 'a run failed and is tried again')
  for (const code of codes) {
    const told = failed.filter((line) => line.code === code)
    expect(told.map((line) => line.runs)).toEqual([1, 201, 401])
  }
  expect(failed.find(({ code }) => code === codes[0])).toMatchObject({
    cause: 'the database at 10.0.0.5:5432/outrider does not answer',
  })
  for (const line of failed) expect(line).not.toHaveProperty('stack')
  expect(ctx.logLines.join('')).not.toContain('hidden')
  expect(lines.at(-1)).toMatchObject({ loop: 'discovery', runs: 1200, msg: 'runs succeed again' })
})
