import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { dayMs } from '../../kernel/durations.ts'
import { keepSettings } from '../../process/kept-settings.ts'
import { logLinkAddress } from '../../process/link-address.ts'
import { compareSettings, keepListener, processOf } from '../kept-settings/index.ts'
import { findLinkUrl } from './index.ts'

let ctx: TestContext
beforeEach(async () => {
  ctx = await testContext()
})
afterEach(() => ctx[Symbol.asyncDispose]())

/** A process of the service that starts, and ends when it has said what there is to say. */
async function start(trackingUrl: string | null | undefined, listener?: string) {
  const config = { ...ctx.config, trackingUrl }
  const process = { ...ctx, config, keptSettings: new Map<string, string>() }
  await using _settings = await keepSettings(process, 'api')
  if (listener !== undefined) await keepListener(process, listener)
  logLinkAddress(process)
  return process
}

const warnings = () =>
  ctx.logLines
    .map((line) => JSON.parse(line))
    .filter(({ level }) => level === 40)
    .map(({ msg }) => msg)

test('the address that one process was given is that of every process, until another is given', async () => {
  await start('https://go.example.com')
  expect(findLinkUrl(await start(undefined))).toBe('https://go.example.com')
  // Links have to work for years, and most processes are not given it.
  ctx.clock.advance(400 * dayMs)
  expect(findLinkUrl(await start(undefined, 'http://127.0.0.1:18477'))).toBe(
    'https://go.example.com',
  )
  await start('https://two.example.com')
  expect(findLinkUrl(await start(undefined))).toBe('https://two.example.com')
  expect(warnings()).toEqual([expect.stringContaining('lead elsewhere from now on')])
})

test('until one is given it is where the API listens, and the start says that this is not enough', async () => {
  await start(undefined, 'http://127.0.0.1:18477')
  expect(warnings()).toEqual([expect.stringContaining('Set TRACKING_URL to an https address')])
  ctx.clock.advance(400 * dayMs)
  expect(findLinkUrl(await start(undefined))).toBe('http://127.0.0.1:18477')
})

test('"none" takes away what was given, also from a process that runs on with it, which says so', async () => {
  const runner = await start('https://go.example.com')
  await start(null, 'http://127.0.0.1:3000')
  expect(findLinkUrl(await start(undefined))).toBe('http://127.0.0.1:3000')
  expect(await compareSettings(runner, processOf(runner.config, false))).toEqual([
    { name: 'TRACKING_URL', told: 'https://go.example.com', other: 'none' },
  ])
  expect(findLinkUrl(runner)).toBe('http://127.0.0.1:3000')
})

test('an address that was told while the clock was ahead is replaced by the next one', async () => {
  ctx.clock.advance(90 * dayMs)
  await start('https://old.example.com')
  ctx.clock.advance(-90 * dayMs)
  expect(findLinkUrl(await start('https://new.example.com'))).toBe('https://new.example.com')
})

test('the address of the process that was started last holds, however long that one is away', async () => {
  const runner = await start('https://old.example.com')
  await start('https://new.example.com')
  ctx.clock.advance(dayMs)
  await compareSettings(runner, processOf(runner.config, false))
  expect(findLinkUrl(runner)).toBe('https://new.example.com')
})
