import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { operator } from '../audit/index.ts'
import { standardEventTypes } from '../events/catalogue/index.ts'
import { archiveLabel, createLabel, updateLabel } from '../labels/index.ts'
import { allEvents } from './index.ts'

let api: TestApi
beforeAll(async () => {
  api = await testApi()
})
afterAll(() => api[Symbol.asyncDispose]())

interface Item {
  id: string
  label: string
  type: string
  custom_interest_value: string | null
}

const list = async (key = api.key): Promise<Item[]> =>
  (await api.call('GET', '/api/v2/webhooks/event-types', { key })).body.items

test('every standard type is listed in a fixed order, all_events first', async () => {
  const items = await list()
  expect(items.map((item) => item.id)).toEqual([allEvents, ...standardEventTypes])
  expect(items.every((item) => item.type === 'standard' && item.label.length > 0)).toBe(true)
  expect(items.every((item) => item.custom_interest_value === null)).toBe(true)
})

test('each of them can be subscribed to', async () => {
  for (const { id } of await list()) {
    const { status } = await api.call('POST', '/api/v2/webhooks', {
      body: { target_hook_url: 'http://127.0.0.1/', name: id, event_type: id },
    })
    expect(status).toBe(201)
  }
})

test('a label is listed by its current name and its first value', async () => {
  const { workspaceId } = api
  const label = await createLabel(api.ctx, workspaceId, { name: 'Call back' }, operator)
  await updateLabel(api.ctx, workspaceId, label.id, { name: 'Call later' }, operator)
  expect((await list()).at(-1)).toEqual({
    id: `lead.label.${label.id}`,
    label: 'Call later',
    type: 'custom_label',
    custom_interest_value: 'call_back',
  })
  const stranger = await api.createStranger()
  expect(await list(stranger.key)).toHaveLength(standardEventTypes.length + 1)
})

test('an archived label is listed, and may be subscribed to, only while it is subscribed', async () => {
  const { workspaceId } = api
  const label = await createLabel(api.ctx, workspaceId, { name: 'Reseller' }, operator)
  const subscription = {
    target_hook_url: 'http://127.0.0.1/',
    name: 'labels',
    event_type: `lead.label.${label.id}`,
    custom_interest_value: label.value,
  }
  const subscribe = () => api.call('POST', '/api/v2/webhooks', { body: subscription })
  const isListed = async () => (await list()).some((item) => item.id === subscription.event_type)

  const { body } = await subscribe()
  await archiveLabel(api.ctx, workspaceId, label.id, operator)
  await api.call('PATCH', `/api/v2/webhooks/${body.id}`, { body: { status: 'disabled' } })
  expect(await isListed()).toBe(true)
  const second = await subscribe()
  expect(second.status).toBe(201)
  for (const { id } of [body, second.body]) await api.call('DELETE', `/api/v2/webhooks/${id}`)
  expect(await isListed()).toBe(false)
  expect((await subscribe()).status).toBe(400)
})
