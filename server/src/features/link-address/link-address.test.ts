import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { settleLinkAddress, watchLinkAddress } from '../../process/link-address.ts'
import { findLinkAddress, findLinkUrl } from './index.ts'

let ctx: TestContext
beforeEach(async () => {
  ctx = await testContext()
})
afterEach(() => ctx[Symbol.asyncDispose]())

const given = (trackingUrl: string | null | undefined) => ({
  ...ctx,
  config: { ...ctx.config, trackingUrl },
})

/** A process of the service that starts, and ends when it has said what there is to say. */
async function start(trackingUrl: string | null | undefined, listener?: string) {
  const process = given(trackingUrl)
  await settleLinkAddress(process)
  await using _watch = await watchLinkAddress(process, listener)
  return process
}

const warnings = () =>
  ctx.logLines
    .map((line) => JSON.parse(line))
    .filter(({ level }) => level === 40)
    .map(({ msg }) => msg)

test('the address that one process was given is that of every process', async () => {
  await start('https://go.example.com')
  expect(await findLinkUrl(given(undefined))).toBe('https://go.example.com')
  await start(undefined, 'http://127.0.0.1:18477')
  expect(await findLinkUrl(given(undefined))).toBe('https://go.example.com')
  expect(warnings()).toEqual([])
})

test('until one is given it is where the API listens, and the start says that this is not enough', async () => {
  await start(undefined, 'http://127.0.0.1:18477')
  expect(await findLinkUrl(given(undefined))).toBe('http://127.0.0.1:18477')
  expect(warnings()).toEqual([expect.stringContaining('Set TRACKING_URL to an https address')])
})

test('two processes that were given different ones are told apart, at the start and later', async () => {
  const first = await start('https://one.example.com')
  await start('https://two.example.com')
  expect(await findLinkUrl(first)).toBe('https://two.example.com')
  expect(warnings()).toEqual([expect.stringContaining('give the same TRACKING_URL')])
  await using _watch = await watchLinkAddress(first, undefined)
  await ctx.database.until(async () => (await findLinkAddress(ctx.db))?.contradicting_url)
  expect(await findLinkAddress(ctx.db)).toMatchObject({
    ...{ url: 'https://two.example.com', contradicting_url: 'https://one.example.com' },
  })
})

test('"none" forgets what was given', async () => {
  await start('https://go.example.com')
  await start(null, 'http://127.0.0.1:3000')
  expect(await findLinkUrl(given(undefined))).toBe('http://127.0.0.1:3000')
})
