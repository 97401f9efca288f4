import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Browser, setUp } from '../../../../test/browser.ts'
import { type Delivering, testDelivering } from '../../../../test/delivering.ts'
import { send } from '../../deliveries/send.ts'
import { findDestination, openDestination } from '../destinations.ts'
import { readToken } from './address.ts'
import { deleteCallsBut } from './queries.ts'
import { receive } from './receive.ts'
import { dropOldCalls, getTryOut } from './try-outs.ts'

let api: Delivering
let owner: Browser
beforeAll(async () => {
  api = await testDelivering({ outbound: { mode: 'public', allow: [] } })
  owner = await setUp(api)
})
afterAll(() => api[Symbol.asyncDispose]())

const headers = () => ({ 'x-workspace-id': api.workspaceId })
const createTryOut = async (): Promise<{ url: string; token: string }> =>
  (await owner.call('POST', '/app/webhooks/try', { headers: headers() })).body
const read = async (token: string) =>
  (await owner.call('GET', `/app/webhooks/try/${token}`, { headers: headers() })).body

test('a delivery to a try-out receiver is verified and shown, and nothing is connected to', async () => {
  const { url, token } = await createTryOut()
  const webhook = await api.createWebhook(url, { headers: { Authorization: 'Bearer receiver' } })
  await api.emit()
  const [attempt] = await api.waitForAttempts(webhook.id, 1)
  expect(attempt).toMatchObject({ success: true, status_code: 200, webhook_url: url })
  const { items } = await read(token)
  expect(items).toMatchObject([{ verified_by: webhook.id, problem: null }])
  expect(JSON.parse(items[0].body)).toMatchObject({ type: 'lead.interested' })
  // What only a receiver should know is not kept.
  expect(items[0].headers).toContainEqual({ name: 'authorization', value: '••••' })
  expect(JSON.stringify(items)).not.toContain('Bearer receiver')
})

test('a process that was told no BASE_URL, or another, hands over what is for a receiver all the same', async () => {
  const { url, token } = await createTryOut()
  const { id } = await api.createWebhook(url, { event_type: 'lead.lost' })
  const row = await findDestination(api.ctx.db, api.workspaceId, id)
  if (!row) throw new Error('no destination')
  const runner = { ...api.ctx, config: { ...api.ctx.config, baseUrl: 'https://app.example.com' } }
  const event = { id: api.ctx.newId(), body: '{}' }
  const outcome = await send(runner, 'deliveries', openDestination(runner, row), event)
  expect(outcome).toMatchObject({ kind: 'response', status: 200 })
  expect((await read(token)).items).toMatchObject([{ verified_by: id, problem: null }])
})

test('no other address of this machine may be a destination, or is let through', async () => {
  const { url, token } = await createTryOut()
  const stranger = await api.createStranger()
  const create = (target_hook_url: string, key = api.key) =>
    api.call('POST', '/api/v2/webhooks', {
      key,
      body: { name: 'inside', target_hook_url, event_type: 'all_events' },
    })
  const { origin } = new URL(url)
  const changed = token.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))
  for (const address of [
    `${origin}/health`,
    `${origin}/app/try/`,
    `${origin}/app/try/${changed}`,
    `${url}/../../session`,
    `${url}?x`,
  ]) {
    expect((await create(address)).body).toMatchObject({ code: 'target_not_allowed' })
  }
  expect((await create(url, stranger.key)).body).toMatchObject({ code: 'target_not_allowed' })
  expect((await create(url)).status).toBe(201)
})

test('what somebody else sends is kept, and said to be unsigned', async () => {
  const { url, token } = await createTryOut()
  const send = (payload: string, sent = {}) =>
    api.app.inject({
      ...{ method: 'POST', url: new URL(url).pathname, payload },
      headers: { 'content-type': 'text/plain', ...sent },
    })
  expect((await send('hello')).statusCode).toBe(200)
  await api.createWebhook(url)
  const timestamp = String(Math.floor(api.ctx.now().getTime() / 1000))
  const signed = { 'webhook-id': 'a', 'webhook-signature': 'v1,AAAA' }
  await send('unsigned')
  await send('old', { ...signed, 'webhook-timestamp': '1' })
  await send('forged\0', { ...signed, 'webhook-timestamp': timestamp })
  const { items } = await read(token)
  expect(items).toMatchObject([
    { body: 'forged\ufffd', problem: 'wrong_signature', verified_by: null },
    { body: 'old', problem: 'too_old' },
    { body: 'unsigned', problem: 'no_signature' },
    { body: 'hello', problem: 'no_destination' },
  ])
})

test('a receiver takes 30 requests in ten seconds, none beyond 128 KiB, and shows the last 50', async () => {
  const { url, token } = await createTryOut()
  const path = new URL(url).pathname
  const send = (payload: string) => api.app.inject({ method: 'POST', url: path, payload })
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => send(`${n}`)))
  const refused = answers.filter(({ statusCode }) => statusCode === 429)
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(30)
  expect(refused.map(({ headers }) => headers['retry-after'])).toEqual(Array(10).fill('10'))
  expect((await send('x'.repeat(129 * 1024))).statusCode).toBe(400)
  const { id } = (await read(token)).items[0]
  const row = await api.ctx.database.peek
    .selectFrom('try_out_calls')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const more = Array.from({ length: 40 }, () => ({ ...row, id: api.ctx.newId() }))
  await api.ctx.database.peek.insertInto('try_out_calls').values(more).execute()
  const other = await createTryOut()
  await api.app.inject({ method: 'POST', url: new URL(other.url).pathname, payload: 'other' })
  expect((await read(token)).items).toHaveLength(70)
  await deleteCallsBut(api.ctx.db, api.workspaceId, row.try_out_id, 50)
  expect((await read(token)).items).toHaveLength(50)
  expect((await read(other.token)).items).toHaveLength(1)
})

test('two processes take 30 requests of a receiver in ten seconds together', async () => {
  const { token } = await createTryOut()
  const tryOut = readToken(api.ctx, token)
  if (!tryOut) throw new Error('no receiver')
  vi.resetModules()
  const other = await import('./receive.ts')
  expect(other.receive).not.toBe(receive)
  const statuses = await Promise.all(
    [receive, other.receive].flatMap((take) =>
      Array.from(
        { length: 20 },
        async () => (await take(api.ctx, tryOut, {}, Buffer.from('x'))).status,
      ),
    ),
  )
  expect(statuses.filter((status) => status === 200)).toHaveLength(30)
  api.ctx.clock.advance(10_001)
  expect((await receive(api.ctx, tryOut, {}, Buffer.from('x'))).status).toBe(200)
})

test('after an hour it takes nothing more, ends its webhooks, and forgets', async () => {
  const { url, token } = await createTryOut()
  const webhook = await api.createWebhook(url)
  await api.emit()
  await api.waitForAttempts(webhook.id, 1)
  api.ctx.clock.advance(3_600_001)
  await api.emit()
  const [, late] = await api.waitForAttempts(webhook.id, 2)
  expect(late).toMatchObject({ status_code: 410, success: false })
  const { body } = await api.call('GET', `/api/v2/webhooks/${webhook.id}`)
  expect(body).toMatchObject({ status: 'disabled', disabled_reason: 'gone' })
  const sent = await api.app.inject({ method: 'POST', url: new URL(url).pathname, payload: '{}' })
  expect(sent.statusCode).toBe(404)
  await dropOldCalls(api.ctx, api.workspaceId)
  expect((await read(token)).items).toEqual([])
})

test('a receiver of another workspace is not there', async () => {
  const { token } = await createTryOut()
  const { workspaceId } = await api.createStranger()
  await expect(getTryOut(api.ctx, workspaceId, token)).rejects.toMatchObject({ code: 'not_found' })
})
