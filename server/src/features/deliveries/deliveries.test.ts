// Also runs on PostgreSQL 15: the queue is read and settled.
// Also runs through PgBouncer: a lane reads, settles and retries by prepared statements.
import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Delivering, testDelivering } from '../../../test/delivering.ts'
import { patience } from '../../../test/patience.ts'
import { answerInTurn, answerWith, hostile, startReceiver } from '../../../test/receiver.ts'
import { verifySignature } from '../../../test/signature.ts'
import { createSecretBox } from '../../kernel/crypto.ts'
import { bucketOf } from '../../kernel/runner/leases.ts'

let service: Delivering
beforeAll(async () => {
  service = await testDelivering({ webhookRetryDelaysMs: [100, 100, 100] })
})
afterAll(() => service[Symbol.asyncDispose]())
afterEach(async () => {
  // The next test has the only destinations.
  const { body } = await service.call('GET', '/api/v2/webhooks?limit=100')
  for (const { id } of body.items) await service.call('DELETE', `/api/v2/webhooks/${id}`)
})

test('an event reaches its destination signed, and is recorded', async () => {
  await using receiver = await startReceiver()
  const webhook = await service.createWebhook(receiver.url)
  const [eventId] = await service.emit([{ data: { lead: { email: 'lead@example.com' } } }])
  const received = await receiver.next()
  const { headers, method } = received
  expect(method).toBe('POST')
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': expect.stringMatching(/^Outrider-Webhooks\/\d/),
    'webhook-id': eventId,
  })
  const payload = verifySignature(webhook.signing_secret, received, service.ctx.now())
  expect(payload).toMatchObject({
    id: eventId,
    event_id: eventId,
    type: 'lead.interested',
    event_type: 'lead.interested',
    workspace_id: service.workspaceId,
    lead_email: 'lead@example.com',
    custom_interest_value: null,
  })
  const [attempt] = await service.waitForAttempts(webhook.id, 1)
  expect(attempt).toMatchObject({
    webhook_id: webhook.id,
    webhook_url: receiver.url,
    event_id: eventId,
    success: true,
    status_code: 200,
    retry_count: 0,
    will_retry: false,
    error_message: null,
  })
  const pending = service.ctx.database.peek.selectFrom('deliveries').selectAll()
  expect(await pending.where('webhook_id', '=', webhook.id).execute()).toEqual([])
})

test('a destination whose secrets cannot be opened is named in the log, with the reason, and not at every try', async () => {
  await using receiver = await startReceiver()
  const { ctx } = service
  const { id } = await service.createWebhook(receiver.url)
  const { secrets, logLines } = ctx
  const before = logLines.length
  const told = () => logLines.slice(before).filter((line) => line.includes('"loop":"lanes"'))
  ctx.secrets = createSecretBox([randomBytes(32)])
  try {
    await service.emit()
    await expect.poll(told, patience).toHaveLength(1)
    expect(JSON.parse(told()[0] ?? '')).toMatchObject({
      ...{ webhook_id: id, code: 'secret_key_missing' },
      cause: 'OUTRIDER_SECRET_KEY lacks a key that is in use',
    })
  } finally {
    ctx.secrets = secrets
  }
  await service.waitForAttempts(id, 1)
  expect(told()).toHaveLength(1)
})

test('deliveries whose events are gone hold nobody up', async () => {
  await using receiver = await startReceiver()
  const { id } = await service.createWebhook(receiver.url)
  const { ctx, workspaceId } = service
  await ctx.database.peek
    .insertInto('deliveries')
    .values(
      Array.from({ length: 200 }, () => ({
        workspace_id: workspaceId,
        id: ctx.newId(),
        bucket: bucketOf(id),
        webhook_id: id,
        event_id: ctx.newId(),
        due_at: new Date(ctx.now().getTime() - 60_000),
        expires_at: new Date(ctx.now().getTime() + 3_600_000),
      })),
    )
    .execute()
  const [eventId] = await service.emit([{ data: {} }])
  expect((await receiver.next()).headers['webhook-id']).toBe(eventId)
})

test('a 2xx is a success, whatever becomes of its body', async () => {
  await using receiver = await startReceiver(hostile.resetMidBody())
  const { id } = await service.createWebhook(receiver.url)
  await service.emit([{ data: {} }])
  const [attempt] = await service.waitForAttempts(id, 1)
  expect(attempt).toMatchObject({
    ...{ status_code: 200, success: true, will_retry: false },
    ...{ error_message: null, response_body: 'half' },
  })
})

test('a failed delivery is retried with the same id and bytes until it succeeds', async () => {
  await using receiver = await startReceiver(
    answerInTurn(answerWith(500, 'broken'), answerWith(404), answerWith(204)),
  )
  const { id } = await service.createWebhook(receiver.url)
  await service.emit()
  const attempts = await service.waitForAttempts(id, 3)
  expect(attempts.map((a) => [a.retry_count, a.status_code, a.success, a.will_retry])).toEqual([
    [0, 500, false, true],
    [1, 404, false, true],
    [2, 204, true, false],
  ])
  expect(attempts[0]).toMatchObject({ error_message: 'http_status: 500', response_body: 'broken' })
  expect(new Set(attempts.map((a) => a.retry_group_id)).size).toBe(1)
  const [first, second] = receiver.requests
  expect(second?.body).toEqual(first?.body)
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  const promised = attempts[0]?.timestamp_next_retry?.getTime() ?? 0
  expect(promised).toBeGreaterThan(0)
})

test('a delivery that never succeeds ends with will_retry false after the whole schedule', async () => {
  await using receiver = await startReceiver(answerWith(500))
  const { id } = await service.createWebhook(receiver.url)
  await service.emit()
  const attempts = await service.waitForAttempts(id, 4)
  expect(attempts.map((a) => a.will_retry)).toEqual([true, true, true, false])
  expect(receiver.requests).toHaveLength(4)
})

test('410 ends the delivery and disables the destination as gone', async () => {
  await using receiver = await startReceiver(answerWith(410))
  const { id } = await service.createWebhook(receiver.url)
  await service.emit()
  const [attempt] = await service.waitForAttempts(id, 1)
  expect(attempt).toMatchObject({ status_code: 410, will_retry: false })
  const { body } = await service.call('GET', `/api/v2/webhooks/${id}`)
  expect(body).toMatchObject({ status: 'disabled', disabled_reason: 'gone' })
})

test('Retry-After of a 429 sets the time of the next attempt', async () => {
  await using receiver = await startReceiver((_received, response) => {
    response.writeHead(429, { 'retry-after': '7200' }).end()
  })
  const { id } = await service.createWebhook(receiver.url)
  const sentMs = service.ctx.now().getTime()
  await service.emit()
  const [attempt] = await service.waitForAttempts(id, 1)
  const answeredMs = (attempt?.timestamp_next_retry?.getTime() ?? 0) - 7_200_000
  expect(answeredMs).toBeGreaterThanOrEqual(sentMs)
  expect(answeredMs).toBeLessThanOrEqual(service.ctx.now().getTime())
})

test('a redirect is a failure and is never followed', async () => {
  await using inside = await startReceiver()
  await using receiver = await startReceiver((_received, response) => {
    response.writeHead(307, { location: inside.url }).end()
  })
  const { id } = await service.createWebhook(receiver.url)
  await service.emit()
  const [attempt] = await service.waitForAttempts(id, 1)
  expect(attempt).toMatchObject({
    status_code: 307,
    success: false,
    error_message: 'redirect: 307',
  })
  expect(inside.requests).toEqual([])
})

test('a destination gets only the type and the campaign it subscribed to', async () => {
  await using receiver = await startReceiver()
  const campaign = await service.call('POST', '/api/v2/campaigns', { body: { name: 'c' } })
  const tied = { id: campaign.body.id, name: 'c' }
  const { id } = await service.createWebhook(receiver.url, {
    event_type: 'lead.closed',
    campaign: campaign.body.id,
  })
  await service.emit([
    { type: 'lead.closed' },
    { type: 'lead.lost', campaign: tied },
    { type: 'lead.closed', campaign: { id: service.ctx.newId(), name: 'other' } },
    { type: 'lead.closed', campaign: tied },
  ])
  const [attempt] = await service.waitForAttempts(id, 1)
  expect(attempt).toMatchObject({ webhook_id: id, campaign_id: campaign.body.id })
  const stored = await service.ctx.database.peek
    .selectFrom('deliveries')
    .select('id')
    .where('webhook_id', '=', id)
    .execute()
  expect(stored).toEqual([])
  expect(receiver.requests).toHaveLength(1)
})

test("nothing of one workspace reaches another's destination", async () => {
  const stranger = await service.createStranger()
  await using theirs = await startReceiver()
  await using ours = await startReceiver()
  const body = { name: 's', target_hook_url: theirs.url, event_type: 'all_events' }
  await service.call('POST', '/api/v2/webhooks', { body, key: stranger.key })
  const { id } = await service.createWebhook(ours.url)
  await service.emit()
  await service.waitForAttempts(id, 1)
  expect(ours.requests).toHaveLength(1)
  expect(theirs.requests).toEqual([])
})

test('what a rolled-back transaction emitted is neither stored nor sent', async () => {
  await using receiver = await startReceiver()
  const { id } = await service.createWebhook(receiver.url)
  const before = await countEvents()
  await expect(
    service.emit([{ data: { toJSON: () => expect.fail('a change that fails') } }]),
  ).rejects.toThrow()
  expect(await countEvents()).toBe(before)
  await service.emit()
  await service.waitForAttempts(id, 1)
  expect(receiver.requests).toHaveLength(1)
})

test('a deleted destination ends its pending deliveries with a closing record', async () => {
  await using receiver = await startReceiver(answerWith(503, '', { 'retry-after': '60' }))
  const { id } = await service.createWebhook(receiver.url)
  await service.emit()
  await service.waitForAttempts(id, 1)
  await service.call('DELETE', `/api/v2/webhooks/${id}`)
  await service.ctx.database.until(async () => (await service.attemptsOf(id)).length > 1)
  expect(await service.attemptsOf(id)).toMatchObject([
    { will_retry: true },
    { error_message: 'destination_deleted', will_retry: false, response_time_ms: null },
  ])
})

test('a disabled destination gets nothing until it is active again', async () => {
  await using receiver = await startReceiver(answerInTurn(answerWith(500), answerWith(200)))
  const { id } = await service.createWebhook(receiver.url)
  await service.emit()
  await service.waitForAttempts(id, 1)
  const patch = (status: string) =>
    service.call('PATCH', `/api/v2/webhooks/${id}`, { body: { status } })
  await patch('disabled')
  await service.emit()
  await patch('active')
  const attempts = await service.waitForAttempts(id, 2)
  expect(attempts[1]).toMatchObject({ success: true, retry_count: 1 })
  expect(receiver.requests).toHaveLength(2)
})

test('a slow destination delays no other: nobody waits behind one that hangs', async () => {
  await using hanging = await startReceiver(hostile.hangBeforeHeaders())
  await using healthy = await startReceiver()
  await service.createWebhook(hanging.url)
  const { id } = await service.createWebhook(healthy.url, { event_type: 'lead.closed' })
  await service.emit(Array.from({ length: 40 }, () => ({ type: 'lead.lost' as const })))
  await hanging.next()
  await service.emit([{ type: 'lead.closed' }])
  const [attempt] = await service.waitForAttempts(id, 1)
  expect(attempt?.webhook_id).toBe(id)
})

describe('many destinations', () => {
  test('an event for 2,500 destinations is expanded in chunks and reaches each once', async () => {
    await using receiver = await startReceiver()
    const now = service.ctx.now()
    const template = await service.createWebhook(receiver.url)
    const { peek } = service.ctx.database
    const row = await peek
      .selectFrom('webhooks')
      .selectAll()
      .where('id', '=', template.id)
      .executeTakeFirstOrThrow()
    const copies = Array.from({ length: 2499 }, () => ({
      ...row,
      id: service.ctx.newId(),
      headers: null,
      timestamp_created: now,
    }))
    // A secret is bound to its row: each copy is sealed for itself.
    for (const copy of copies) {
      const purpose = `webhook:${copy.workspace_id}:${copy.id}:secret`
      copy.secret = service.ctx.secrets.seal(template.signing_secret, purpose)
    }
    await peek.insertInto('webhooks').values(copies).execute()
    await service.emit()
    const attempts = await service.waitForEach(
      new Set([template.id, ...copies.map((copy) => copy.id)]),
    )
    expect(attempts).toHaveLength(2500)
    expect(attempts.every((a) => a.success)).toBe(true)
    expect(await peek.selectFrom('fanouts').selectAll().execute()).toEqual([])
  })
})

const countEvents = async () =>
  (await service.ctx.database.peek.selectFrom('events').select('id').execute()).length

test('resuming a failing destination ends its pause of minutes', async () => {
  await using receiver = await startReceiver(answerInTurn(answerWith(500), answerWith(200)))
  await using slow = await testDelivering({ webhookRetryDelaysMs: [600_000] })
  const { id } = await slow.createWebhook(receiver.url)
  await slow.ctx.database.peek
    .insertInto('webhook_lanes')
    .values({
      ...{ workspace_id: slow.workspaceId, webhook_id: id },
      ...{ failures: 9, not_before: slow.ctx.now() },
    })
    .execute()
  await slow.emit()
  await slow.waitForAttempts(id, 1)
  await slow.emit()
  const patch = (status: string) =>
    slow.call('PATCH', `/api/v2/webhooks/${id}`, { body: { status } })
  await patch('disabled')
  await patch('active')
  await slow.emit()
  const [, second] = await slow.waitForAttempts(id, 2)
  expect(second).toMatchObject({ success: true, retry_count: 0 })
})
