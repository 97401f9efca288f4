import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { startReceiver } from '../../../test/receiver.ts'
import type { Config } from '../../config.ts'
import { listPartitions } from '../../kernel/db/partitions.ts'
import { createOutboundHttp, judgeAddress, parseCidrs } from '../../kernel/outbound/index.ts'
import { keepSettings } from '../../process/kept-settings.ts'
import type { Role } from '../../process/role.ts'
import { dropOldPartitions, historyTables } from '../deliveries/retention.ts'
import { compareSettings, listKeptSettings, processOf, retentionDaysOf } from './index.ts'

const minute = 60_000
const day = 1440 * minute

let ctx: TestContext
beforeEach(async () => {
  ctx = await testContext()
})
afterEach(() => ctx[Symbol.asyncDispose]())

const given = (settings: Partial<Config>) => ({
  ...ctx,
  // Other processes may share its database.
  config: { ...ctx.config, databaseUrl: ctx.database.url, ...settings },
  keptSettings: new Map<string, string>(),
})

/** A process of the service that starts, compares once, and ends. */
async function start(role: Role, settings: Partial<Config> = {}) {
  const process = given(settings)
  await using _comparing = await keepSettings(process, role)
  return process
}

const countPartitions = async () =>
  (await Promise.all(historyTables.map((table) => listPartitions(ctx.db, table)))).flat().length

const warnings = () =>
  ctx.logLines.map((line) => JSON.parse(line)).filter(({ level }) => level === 40)

test('a runner that was told nothing drops nothing that the service was told to keep, and what it was told to drop', async () => {
  await start('api', { webhookRetentionDays: 365, messageRetentionDays: 90 })
  const runner = await start('runner')
  const before = await countPartitions()
  ctx.clock.advance(60 * day)
  await dropOldPartitions(runner)
  expect(await countPartitions()).toBe(before)
  await dropOldPartitions(given({}))
  expect(await countPartitions()).toBeLessThan(before)
  expect(retentionDaysOf(runner, 'MESSAGE_RETENTION_DAYS')).toBe(90)
  expect(retentionDaysOf(runner, 'AUDIT_RETENTION_DAYS')).toBe(400)
  expect(warnings()).toEqual([])
})

test('of two processes that were told different ones the later is right, and the other says so', async () => {
  const first = await start('main', { webhookRetentionDays: 365 })
  const second = await start('runner', { webhookRetentionDays: 40 })
  const name = 'WEBHOOK_RETENTION_DAYS'
  // The first may have been the same process before its restart.
  expect(warnings()).toEqual([])
  const process = processOf(first.config, true)
  const contradicted = await compareSettings(first, process)
  expect(contradicted).toEqual([{ name, told: '365', other: '40' }])
  for (const each of [first, second]) expect(retentionDaysOf(each, name)).toBe(40)
  expect(await listKeptSettings(ctx.db)).toMatchObject([
    { name, value: '40', contradicting_value: '365' },
  ])
  // The second has ended: what the first was told holds again.
  ctx.clock.advance(4 * minute)
  expect(await compareSettings(first, process)).toEqual([])
  expect(retentionDaysOf(first, name)).toBe(365)
})

test('what the service is told no more holds no longer than a process runs that was told it', async () => {
  await start('main', { messageRetentionDays: 90 })
  ctx.clock.advance(2 * minute)
  const soon = await start('main')
  expect(retentionDaysOf(soon, 'MESSAGE_RETENTION_DAYS')).toBe(90)
  ctx.clock.advance(2 * minute)
  // By itself it may be the one that lacks it, and the service be down.
  const runner = await start('runner')
  expect(retentionDaysOf(runner, 'MESSAGE_RETENTION_DAYS')).toBe(90)
  const late = await start('main')
  expect(retentionDaysOf(late, 'MESSAGE_RETENTION_DAYS')).toBeUndefined()
  expect(await listKeptSettings(ctx.db)).toEqual([])
})

test('what keeps history for longer holds for a day after the process that was told it', async () => {
  await start('main', { webhookRetentionDays: 365 })
  ctx.clock.advance(day - minute)
  expect(retentionDaysOf(await start('api'), 'WEBHOOK_RETENTION_DAYS')).toBe(365)
  ctx.clock.advance(2 * minute)
  expect(retentionDaysOf(await start('api'), 'WEBHOOK_RETENTION_DAYS')).toBe(30)
})

describe('the outbound policy', () => {
  const policies = (settings: Partial<Config> = {}) => ({
    outbound: { mode: 'any' as const, allow: [] },
    ...settings,
  })
  const reached = { outbound: { mode: 'public' as const, allow: parseCidrs('10.0.0.0/8') } }

  test('of a runner that was told nothing is that of a service that is reached from elsewhere', async () => {
    await using receiver = await startReceiver()
    const runner = given(policies())
    const http = createOutboundHttp({ policy: runner.config.outbound })
    const request = { use: 'deliveries' as const, headers: {}, body: '', timeoutMs: 5_000 }
    await start('api', reached)
    await using _comparing = await keepSettings(runner, 'runner')
    expect(await http.post({ ...request, url: receiver.url })).toMatchObject({
      error: 'blocked_address',
    })
    expect(receiver.requests).toEqual([])
    expect(judgeAddress(runner.config.outbound, '10.1.2.3')).toBe(true)
    await http.close()
  })

  test('that a runner was told itself is its own, and no runner makes another one stricter', async () => {
    await start('api', reached)
    const told = await start('runner', policies({ outboundIsGiven: true }))
    expect(told.config.outbound.mode).toBe('any')
    ctx.clock.advance(4 * minute)
    await start('runner', reached)
    expect((await start('api', policies())).config.outbound.mode).toBe('any')
    expect((await start('runner', policies())).config.outbound.mode).toBe('any')
  })

  test('of a service is as strict as that of another one that runs', async () => {
    await start('api', reached)
    const local = given(policies())
    await using _comparing = await keepSettings(local, 'main')
    expect(local.config.outbound.mode).toBe('public')
    // It does not keep itself so.
    ctx.clock.advance(4 * minute)
    expect((await start('main', policies())).config.outbound.mode).toBe('any')
  })

  test('of two processes that were told different ones is named by the one that nobody follows', async () => {
    await start('api', reached)
    await using _told = await keepSettings(given(policies({ outboundIsGiven: true })), 'runner')
    const contradiction = { name: 'OUTBOUND_POLICY', told: 'any', other: 'public 10.0.0.0/8' }
    await expect
      .poll(() => warnings())
      .toEqual([
        expect.objectContaining({
          ...contradiction,
          msg: 'another process was told otherwise; give the same setting to every process',
        }),
      ])
    expect(await listKeptSettings(ctx.db)).toMatchObject([
      { name: 'OUTBOUND_POLICY', value: 'public 10.0.0.0/8', contradicting_value: 'any' },
    ])
  })

  test('of a service that is alone on its database is its own again after a restart', async () => {
    const alone = { databaseUrl: undefined }
    await start('main', { ...reached, ...alone, webhookRetentionDays: 365 })
    ctx.clock.advance(1000)
    const again = await start('main', policies(alone))
    expect(again.config.outbound.mode).toBe('any')
    // What keeps history for longer is no less dear to it.
    expect(retentionDaysOf(again, 'WEBHOOK_RETENTION_DAYS')).toBe(365)
  })
})
