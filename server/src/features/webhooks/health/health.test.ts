import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, setUp } from '../../../../test/browser.ts'
import { type Delivering, testDelivering } from '../../../../test/delivering.ts'
import { createMember } from '../../../../test/people.ts'
import { answerWith, startReceiver } from '../../../../test/receiver.ts'

let api: Delivering
let owner: Browser
beforeAll(async () => {
  // However long a test takes, nothing is tried again while it looks.
  api = await testDelivering({ webhookRetryDelaysMs: [3_600_000] })
  owner = await setUp(api)
})
afterAll(() => api[Symbol.asyncDispose]())

const call = async (method: string, path: string, body?: object, browser = owner) => {
  const headers = { 'x-workspace-id': api.workspaceId }
  return browser.call(method, `/app${path}`, { headers, ...(body ? { body } : {}) })
}

test('a webhook that fails shows since when, how often, what waits and when it is asked again', async () => {
  await using receiver = await startReceiver(answerWith(500))
  const failing = await api.createWebhook(receiver.url)
  await api.emit([{}, {}])
  await api.waitForAttempts(failing.id, 2)
  const { body } = await call('GET', `/webhooks/${failing.id}/health`)
  expect(body).toMatchObject({
    id: failing.id,
    failing_since: expect.any(String),
    failures: 2,
    pending: 2,
    timestamp_oldest_pending: expect.any(String),
    recent: [
      { success: false, status_code: 500 },
      { success: false, status_code: 500 },
    ],
  })
  const list = await call('GET', '/webhooks/health?limit=1')
  expect(list.body.items).toEqual([body])
  const { items } = (await call('GET', `/webhooks/${failing.id}/days`)).body
  expect(items).toHaveLength(30)
  expect(items.at(-1)).toMatchObject({ succeeded: 0, failed: 2 })
  expect(items[0]).toMatchObject({ succeeded: 0, failed: 0 })
  await api.call('DELETE', `/api/v2/webhooks/${failing.id}`)
})

test('the days of a webhook come from counters, also of attempts from before there were any', async () => {
  await using receiver = await startReceiver()
  const webhook = await api.createWebhook(receiver.url)
  await api.emit([{}, {}])
  await api.waitForAttempts(webhook.id, 2)
  await api.call('POST', `/api/v2/webhooks/${webhook.id}/test`)
  const { peek } = api.ctx.database
  const today = async () => (await call('GET', `/webhooks/${webhook.id}/days`)).body.items.at(-1)
  const counts = { succeeded: 3, failed: 0 }
  expect(await today()).toMatchObject(counts)
  await peek.deleteFrom('webhook_days').execute()
  const migration = new URL('../../../../migrations/0131_webhook_days.sql', import.meta.url)
  const [, countBefore = ''] = readFileSync(migration, 'utf8').split(/(?=^insert into)/m)
  await sql.raw(countBefore).execute(peek)
  await peek.deleteFrom('webhook_events').where('webhook_id', '=', webhook.id).execute()
  expect(await today()).toMatchObject(counts)
  await api.call('DELETE', `/api/v2/webhooks/${webhook.id}`)
})

test('the request of an attempt is shown with its exact body, and signed anew for who may replay', async () => {
  await using receiver = await startReceiver()
  const more = { headers: { 'X-Token': 'of the receiver' } }
  const webhook = await api.createWebhook(receiver.url, more)
  await api.emit()
  const [attempt] = await api.waitForAttempts(webhook.id, 1)
  const { headers, body } = await receiver.next()
  const { body: shown } = await call('GET', `/webhook-events/${attempt?.id}/request`)
  expect(shown.body).toBe(body.toString())
  expect(shown.url).toBe(receiver.url)
  const value = (name: string) =>
    shown.headers.find((header: { name: string }) => header.name === name)?.value
  expect(value('webhook-id')).toBe(headers['webhook-id'])
  expect(value('user-agent')).toBe(headers['user-agent'])
  expect(value('X-Token')).toBe('••••')
  expect(Math.abs(value('webhook-timestamp') - Number(headers['webhook-timestamp']))).toBeLessThan(
    2,
  )
  const signed = Object.fromEntries(
    shown.signed.map(({ name, value }: { name: string; value: string }) => [name, value]),
  )
  const key = Buffer.from(webhook.signing_secret.slice(6), 'base64')
  const content = `${signed['webhook-id']}.${signed['webhook-timestamp']}.${shown.body}`
  const expected = createHmac('sha256', key).update(content).digest('base64')
  expect(signed['webhook-signature']).toBe(`v1,${expected}`)

  const member = await createMember(api, 'member@team.example', 'member')
  const path = `/webhook-events/${attempt?.id}/request`
  expect((await call('GET', path, undefined, member.browser)).body.signed).toBeNull()
  await api.call('DELETE', `/api/v2/webhooks/${webhook.id}`)
})

test('what was missed while a webhook was paused is counted, and delivered by a replay', async () => {
  await using receiver = await startReceiver()
  const webhook = await api.createWebhook(receiver.url, { event_type: 'lead.lost' })
  const set = (status: string) =>
    api.call('PATCH', `/api/v2/webhooks/${webhook.id}`, { body: { status } })
  const { timestamp_disabled: from } = (await set('disabled')).body
  await api.emit([{ type: 'lead.lost' }, { type: 'lead.lost' }, { type: 'lead.closed' }])
  const path = `/webhooks/${webhook.id}/replay`
  const window = `?from=${encodeURIComponent(from)}`
  expect((await call('GET', `${path}${window}`)).body).toEqual({
    deliveries: 2,
    is_estimate: false,
  })
  expect((await call('POST', path, { from })).body).toMatchObject({ code: 'invalid_transition' })
  await set('active')
  expect((await call('POST', path, { from })).body).toEqual({ deliveries: 2 })
  const attempts = await api.waitForAttempts(webhook.id, 2)
  const [first] = attempts
  await call('POST', path, { webhook_event_id: first?.id })
  const again = await api.waitForAttempts(webhook.id, 3)
  expect(again.at(-1)?.event_id).toBe(first?.event_id)
  const audit = await call('GET', '/audit?action=webhook.replayed')
  expect(audit.body.items).toMatchObject([
    { actor_type: 'user', subject_id: webhook.id, details: { deliveries: '1' } },
    { details: { deliveries: '2', from } },
  ])
  for (const body of [{}, { from: 'x' }, { from, webhook_event_id: first?.id }])
    expect((await call('POST', path, body)).status).toBe(400)
})
