import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { setPlan } from '../workspaces/index.ts'
import {
  type Destination,
  disableDestination,
  findDestination,
  findSubscribers,
  openDestination,
} from './index.ts'

let api: TestApi
beforeAll(async () => {
  api = await testApi()
})
afterAll(() => api[Symbol.asyncDispose]())

async function create(key: string, body: object = {}) {
  const answer = await api.call('POST', '/api/v2/webhooks', {
    key,
    body: {
      target_hook_url: 'http://127.0.0.1/in',
      name: 'n',
      event_type: 'lead.interested',
      ...body,
    },
  })
  return answer.body
}

async function get(workspaceId: string, id: string): Promise<Destination> {
  const row = await findDestination(api.ctx.db, workspaceId, id)
  if (!row) throw new Error('no such destination')
  return row
}

test('subscribers are the active destinations of a type or of all, while the plan has webhooks', async () => {
  const { workspaceId, key } = await api.createStranger()
  const interested = await create(key)
  const all = await create(key, { event_type: 'all_events' })
  await create(key, { event_type: 'email.sent' })
  const paused = await create(key)
  await api.call('PATCH', `/api/v2/webhooks/${paused.id}`, { key, body: { status: 'disabled' } })
  await create(api.key)

  const find = (types: string[]) => findSubscribers(api.ctx.db, workspaceId, types)
  expect(await find(['lead.interested', 'lead.lost'])).toEqual([
    { id: interested.id, event_type: 'lead.interested', campaign: null },
    { id: all.id, event_type: 'all_events', campaign: null },
  ])
  expect((await find(['lead.lost'])).map(({ id }) => id)).toEqual([all.id])

  await setPlan(api.ctx, workspaceId, { webhooks: false })
  expect(await find(['lead.interested'])).toEqual([])
  expect(await get(workspaceId, interested.id)).toMatchObject({
    status: 'active',
    may_receive: false,
  })
  await setPlan(api.ctx, workspaceId, { webhooks: true })
  expect(await find(['lead.interested'])).toHaveLength(2)
})

test('a destination opens to what a request to it needs, and to nobody else', async () => {
  const { workspaceId, key } = await api.createStranger()
  const created = await create(key, { headers: { 'X-Token': 'receiver' } })
  const row = await get(workspaceId, created.id)
  const opened = openDestination(api.ctx, row)
  expect(opened).toEqual({
    url: 'http://127.0.0.1/in',
    headers: { 'X-Token': 'receiver' },
    secrets: [Buffer.from(created.signing_secret.slice('whsec_'.length), 'base64')],
    until: null,
  })
  expect(openDestination(api.ctx, row)).toEqual(opened)
  expect(row.secret.includes(created.signing_secret)).toBe(false)
  expect(row.headers?.includes('receiver')).toBe(false)

  const other = await create(key)
  expect(() => openDestination(api.ctx, { ...row, id: other.id })).toThrow()
  expect(() => openDestination(api.ctx, { ...row, secret: row.headers ?? row.secret })).toThrow()
  expect(await findDestination(api.ctx.db, api.workspaceId, created.id)).toBeUndefined()
})

test('the service disables a destination once, and says why', async () => {
  const { workspaceId, key } = await api.createStranger()
  const { id } = await create(key)
  const disable = (reason: 'gone' | 'failing') =>
    transaction(api.ctx, (tx) => disableDestination(tx, workspaceId, id, reason))
  expect([await disable('gone'), await disable('failing')]).toEqual([true, false])
  expect(await disableDestination(api.ctx, api.workspaceId, id, 'gone')).toBe(false)
  const read = await api.call('GET', `/api/v2/webhooks/${id}`, { key })
  const now = api.ctx.now().toISOString()
  expect(read.body).toMatchObject({
    status: 'disabled',
    disabled_reason: 'gone',
    timestamp_disabled: now,
    timestamp_updated: now,
  })
  const entries = await api.ctx.db
    .selectFrom('audit_log')
    .select(['actor_type', 'details'])
    .where('workspace_id', '=', workspaceId)
    .where('action', '=', 'webhook.disabled')
    .execute()
  expect(entries).toEqual([{ actor_type: 'service', details: { reason: 'gone' } }])
})
