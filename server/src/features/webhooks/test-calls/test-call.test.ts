import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../../test/app.ts'
import { setUp } from '../../../../test/browser.ts'
import { answerWith, startReceiver } from '../../../../test/receiver.ts'
import { verifySignature } from '../../../../test/signature.ts'
import { standardEventTypes } from '../../events/catalogue/index.ts'
import { confirmRestore, holdSending } from '../../sending/index.ts'
import { takeTestSlot, testWebhook } from './test-call.ts'

let api: TestApi
beforeAll(async () => {
  api = await testApi()
})
afterAll(() => api[Symbol.asyncDispose]())

async function createWebhook(url: string, event_type = 'all_events') {
  const body = { name: 'test', target_hook_url: url, event_type }
  const { body: webhook } = await api.call('POST', '/api/v2/webhooks', { body })
  return webhook as { id: string; signing_secret: string }
}
const callTest = (id: string, options: object = {}) =>
  api.call('POST', `/api/v2/webhooks/${id}/test`, options)
const attemptsOf = (id: string) =>
  api.ctx.database.peek
    .selectFrom('webhook_events')
    .selectAll()
    .where('webhook_id', '=', id)
    .orderBy('id')
    .execute()

test('sends one signed sample, answers as the spec says, and has recorded it by then', async () => {
  await using receiver = await startReceiver()
  const { id, signing_secret } = await createWebhook(receiver.url)
  const answer = await callTest(id, { body: { anything: true } })
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    success: true,
    status_code: 200,
    response_time_ms: expect.any(Number),
    error: null,
  })
  const request = await receiver.next()
  const payload = verifySignature(signing_secret, request, api.ctx.now())
  expect(payload).toMatchObject({ test: true, type: 'lead.interested' })
  expect(await attemptsOf(id)).toMatchObject([{ success: true, retry_count: 0, will_retry: false }])
  const counts = await api.ctx.database.peek
    .selectFrom('webhook_event_counts')
    .selectAll()
    .execute()
  expect(counts.reduce((sum, count) => sum + Number(count.succeeded), 0)).toBe(1)
})

test.each(standardEventTypes)(
  'a destination of %s is tested with an event of that type',
  async (type) => {
    await using receiver = await startReceiver()
    const { id } = await createWebhook(receiver.url, type)
    await callTest(id)
    const payload = JSON.parse(receiver.requests[0]?.body.toString() ?? '{}')
    expect(payload).toMatchObject({ type, event_type: type, test: true, data: expect.any(Object) })
  },
)

test('a failure is a 200 that says what went wrong; it is not retried and counts against nobody', async () => {
  await using receiver = await startReceiver(answerWith(410))
  const { id } = await createWebhook(receiver.url)
  const { body } = await callTest(id)
  expect(body).toMatchObject({ success: false, status_code: 410, error: 'http_status: 410' })
  const { body: webhook } = await api.call('GET', `/api/v2/webhooks/${id}`)
  expect(webhook.status).toBe('active')
  const lanes = await api.ctx.database.peek.selectFrom('webhook_lanes').selectAll().execute()
  expect(lanes).toEqual([])
})

test('nobody listening is told apart from an answer, and always has a time', async () => {
  const { id } = await createWebhook('http://127.0.0.1:1/')
  const { body } = await callTest(id)
  expect(body).toMatchObject({
    success: false,
    status_code: null,
    response_time_ms: expect.any(Number),
    error: expect.stringMatching(/^connection_refused/),
  })
})

test('a disabled destination can be tested', async () => {
  await using receiver = await startReceiver()
  const { id } = await createWebhook(receiver.url)
  await api.call('PATCH', `/api/v2/webhooks/${id}`, { body: { status: 'disabled' } })
  expect((await callTest(id)).body.success).toBe(true)
})

test('nothing leaves a held database for a test call, either', async () => {
  await using receiver = await startReceiver()
  const { id } = await createWebhook(receiver.url)
  // The installation knows itself: that is what is held.
  await setUp(api)
  await holdSending(api.ctx)
  const refused = await callTest(id)
  expect([refused.status, refused.body.code]).toEqual([409, 'not_ready'])
  expect(await attemptsOf(id)).toEqual([])
  await confirmRestore(api.ctx)
  expect((await callTest(id)).body.success).toBe(true)
  expect(receiver.requests).toHaveLength(1)
})

test('repeated with the same Idempotency-Key it sends once', async () => {
  await using receiver = await startReceiver()
  const { id } = await createWebhook(receiver.url)
  const options = { headers: { 'idempotency-key': 'test-once' } }
  const first = await callTest(id, options)
  const again = await callTest(id, options)
  expect(again.body).toEqual(first.body)
  expect(again.headers['idempotency-replayed']).toBe('true')
  expect(receiver.requests).toHaveLength(1)
})

test('the 61st in a minute is refused', async () => {
  await using receiver = await startReceiver()
  const { id } = await createWebhook(receiver.url)
  for (let called = 0; called < 60; called++) expect((await callTest(id)).status).toBe(200)
  const refused = await callTest(id)
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
})

test('the minute is counted with the limit that processes share', async () => {
  await using receiver = await startReceiver()
  const { id } = await createWebhook(receiver.url)
  const attempts = { count: async () => ({ tries: 61, secondsLeft: 17 }) }
  await expect(testWebhook(api.ctx, api.workspaceId, id, attempts)).rejects.toMatchObject({
    code: 'rate_limited',
    headers: { 'retry-after': '17' },
  })
  expect(receiver.requests).toEqual([])
})

test('a workspace has at most 8 under way, and others can test meanwhile', async () => {
  const held: (() => void)[] = []
  await using receiver = await startReceiver((_received, response) => {
    held.push(() => response.end())
  })
  const { id } = await createWebhook(receiver.url)
  const underWay = Array.from({ length: 8 }, () => callTest(id))
  await receiver.waitFor(8)
  const refused = await callTest(id)
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
  expect(refused.headers['retry-after']).toBe('1')
  expect(receiver.requests).toHaveLength(8)

  await using other = await startReceiver()
  const { key } = await api.createStranger()
  const body = { name: 'test', target_hook_url: other.url, event_type: 'all_events' }
  const { body: foreign } = await api.call('POST', '/api/v2/webhooks', { key, body })
  expect((await callTest(foreign.id, { key })).body.success).toBe(true)

  for (const answer of held) answer()
  expect((await Promise.all(underWay)).every(({ body: { success } }) => success)).toBe(true)
  held.length = 0
  const next = callTest(id)
  await receiver.waitFor(9)
  held[0]?.()
  expect((await next).status).toBe(200)
})

test('a process has at most 64 under way', () => {
  const http = { ...api.ctx.http }
  const slots = Array.from({ length: 64 }, (_, index) =>
    takeTestSlot(http, `workspace ${index >> 3}`),
  )
  expect(() => takeTestSlot(http, 'workspace 8')).toThrow(
    expect.objectContaining({ code: 'unavailable', headers: { 'retry-after': '1' } }),
  )
  slots[0]?.[Symbol.dispose]()
  takeTestSlot(http, 'workspace 8')
})

test('one that could not be sent is a 503 that is not recorded', async () => {
  const { id } = await createWebhook('http://127.0.0.1:1/')
  const { http } = api.ctx
  api.ctx.http = {
    ...http,
    post: async () => ({ kind: 'unsent', reason: 'no connection', durationMs: 1 }),
  }
  const answer = await callTest(id)
  api.ctx.http = http
  expect([answer.status, answer.body.code]).toEqual([503, 'unavailable'])
  expect(answer.headers['retry-after']).toBe('1')
  expect(await attemptsOf(id)).toEqual([])
})

test('a stop of the process cuts one that hangs, and records and answers that', async () => {
  await using own = await testApi()
  await using receiver = await startReceiver(() => undefined)
  const body = { name: 'test', target_hook_url: receiver.url, event_type: 'all_events' }
  const { body: webhook } = await own.call('POST', '/api/v2/webhooks', { body })
  const { port } = new URL(await own.app.listen({ port: 0, host: '127.0.0.1' }))
  const answer = fetch(`http://127.0.0.1:${port}/api/v2/webhooks/${webhook.id}/test`, {
    method: 'POST',
    // A connection that the client kept would be waited for: here nobody drains the service.
    headers: { authorization: `Bearer ${own.key}`, connection: 'close' },
  })
  await receiver.next()
  const closed = own.app.close()
  const error = 'timeout: cut, because the service was stopped'
  expect(await (await answer).json()).toMatchObject({ success: false, status_code: null, error })
  const recorded = await own.ctx.database.peek
    .selectFrom('webhook_events')
    .select('error_message')
    .where('webhook_id', '=', webhook.id)
    .execute()
  expect(recorded).toEqual([{ error_message: error }])
  await closed
})

test("another workspace's destination is a 404", async () => {
  await using receiver = await startReceiver()
  const { id } = await createWebhook(receiver.url)
  const stranger = await api.createStranger()
  expect((await callTest(id, { key: stranger.key })).status).toBe(404)
  expect(receiver.requests).toEqual([])
})
