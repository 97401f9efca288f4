import { expect, test } from 'vitest'
import { testDelivering } from '../../../test/delivering.ts'
import { answerWith, startReceiver } from '../../../test/receiver.ts'
import { createSignal } from '../../../test/signal.ts'

/** With 16 requests each they could take every slot that a process has for good destinations. */
const slowOnes = 40
/** Enough for each to get as many requests at once as any destination does. */
const warmUp = 16
const events = 30
/** Of all slow ones together more than a process keeps of what it has read. */
const largeData = { text: 'x'.repeat(30_000) }

test('destinations that hang from their first request on keep none from a healthy one, however much waits for them', async () => {
  await using stack = new AsyncDisposableStack()
  const service = stack.use(await testDelivering())
  const hanging = stack.use(await startReceiver(() => {}))
  const healthy = stack.use(await startReceiver())
  for (let n = 0; n < slowOnes; n++) {
    await service.createWebhook(`${hanging.url}?${n}`, { event_type: 'lead.lost' })
  }
  const { id } = await service.createWebhook(healthy.url, { event_type: 'lead.closed' })
  const large = { type: 'lead.lost' as const, data: largeData }
  await service.emit(Array.from({ length: events }, () => large))
  for (let n = 0; n < slowOnes; n++) await hanging.next()
  await service.emit([{ type: 'lead.closed' }])
  const [attempt] = await service.waitForAttempts(id, 1)
  expect(attempt).toMatchObject({ success: true })
  expect(hanging.requests).toHaveLength(slowOnes)
})

test('destinations that hold every request keep none from a healthy one, however many are due for both', async () => {
  await using stack = new AsyncDisposableStack()
  // A process that is never idle gives out no more slots than it must.
  const service = stack.use(await testDelivering({}, { busyShare: () => 1 }))
  let areSlow = false
  const held: (() => void)[] = []
  const holding = createSignal()
  const slow = await Promise.all(
    Array.from({ length: slowOnes }, () =>
      startReceiver((received, response) => {
        const answer = () => void answerWith(200)(received, response)
        if (!areSlow) return answer()
        held.push(answer)
        holding.raise()
      }),
    ),
  )
  for (const receiver of slow) stack.use(receiver)
  const healthy = stack.use(await startReceiver())
  const webhooks = await Promise.all(slow.map(({ url }) => service.createWebhook(url)))
  const { id } = await service.createWebhook(healthy.url)

  const emit = (count: number, data = {}) =>
    service.emit(Array.from({ length: count }, () => ({ data })))
  await emit(warmUp)
  for (const webhook of [...webhooks, { id }]) await service.waitForAttempts(webhook.id, warmUp)
  areSlow = true
  await emit(events, largeData)
  await service.waitForAttempts(id, warmUp + events)
  const endedOf = async ({ id }: { id: string }) => (await service.attemptsOf(id)).length
  expect(await Promise.all(webhooks.map(endedOf))).toEqual(webhooks.map(() => warmUp))
  expect(held.length).toBeGreaterThan(0)

  areSlow = false
  for (const answer of held) answer()
  for (const { id } of webhooks) await service.waitForAttempts(id, warmUp + events)
  const counts = slow.map(({ requests }) => requests.length)
  expect(counts).toEqual(slow.map(() => warmUp + events))
})
