import { afterEach, beforeEach, expect, test } from 'vitest'
import { asService } from '../../../test/context.ts'
import { type Delivering, testDelivering } from '../../../test/delivering.ts'
import { type Receiver, startReceiver } from '../../../test/receiver.ts'
import { listen } from '../../kernel/db/listen.ts'
import { hintChannel } from '../../kernel/runner/hint.ts'
import { expandFanouts } from './fan-out.ts'
import { startDeliveryRunner } from './index.ts'

let service: Delivering
let receiver: Receiver
beforeEach(async () => {
  service = await testDelivering()
  await service.runner.stop()
  receiver = await startReceiver()
})
afterEach(async () => {
  await service[Symbol.asyncDispose]()
  await receiver[Symbol.asyncDispose]()
})

async function createWebhooks(count: number) {
  for (let n = 0; n < count; n++) await service.createWebhook(`${receiver.url}?${n}`)
}

const emit = (count: number) => service.emit(Array.from({ length: count }, () => ({})))

const countOf = async (table: 'deliveries' | 'fanouts') =>
  (await service.ctx.database.peek.selectFrom(table).select('event_id').execute()).length

test('events of a large change that have a few destinations each are queued with it', async () => {
  await createWebhooks(3)
  await emit(1_000)
  expect([await countOf('deliveries'), await countOf('fanouts')]).toEqual([3_000, 0])
})

test('beyond 10,000 deliveries a change leaves even events of few destinations to a runner', async () => {
  await createWebhooks(9)
  await emit(1_200)
  expect([await countOf('deliveries'), await countOf('fanouts')]).toEqual([9_999, 89])
})

test('fan-outs are looked for anew after a second of expanding, however many were found', async () => {
  const { ctx } = service
  await createWebhooks(11)
  await emit(200)
  const found = await ctx.database.peek
    .selectFrom('fanouts')
    .select(['workspace_id', 'event_id'])
    .execute()
  let elapsedMs = 0
  const monotonicMs = () => {
    elapsedMs += 300
    return elapsedMs
  }
  expect(await expandFanouts({ ...asService(ctx), monotonicMs }, found)).toBe(false)
  expect(await countOf('fanouts')).toBe(200 - 3)
  expect(await expandFanouts(asService(ctx), found.slice(0, 5))).toBe(true)
  expect(await countOf('fanouts')).toBe(200 - 5)
  expect(await countOf('deliveries')).toBe(5 * 11)
})

test('fan-outs are expanded without a pause while there are more', async () => {
  const { ctx } = service
  const { sleep } = ctx
  // Pauses as long as the one between two looks for fan-outs last until somebody is woken.
  ctx.sleep = (ms, signal) => {
    if (ms !== 1_000 || !signal) return sleep(ms, signal)
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
  }
  const runner = await startDeliveryRunner(asService(ctx), {
    listen: (onHint) => listen(ctx.database.url, hintChannel, onHint, ctx.log),
  })
  await ctx.database.until(async () => runner.buckets().length === 256)
  await createWebhooks(11)
  await emit(200)
  await ctx.database.until(async () => (await countOf('fanouts')) === 0)
  await runner.stop(1_000)
})
