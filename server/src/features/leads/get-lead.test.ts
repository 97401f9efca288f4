import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { findLead, leadRecord } from './index.ts'

let api: TestApi
let campaignId: string

beforeAll(async () => {
  api = await testApi()
  campaignId = (await api.call('POST', '/api/v2/campaigns', { body: { name: 'one' } })).body.id
  await api.call('POST', '/api/v2/lead/add', {
    body: {
      campaign_id: campaignId,
      leads: [{ email: 'Ann+News@Bücher.example' }, { email: 'ann@bücher.example' }],
    },
  })
})
afterAll(() => api[Symbol.asyncDispose]())

const get = (query: string, key = api.key) => api.call('GET', `/api/v2/lead/get?${query}`, { key })

test.each([
  ['as typed', encodeURIComponent('Ann+News@Bücher.example')],
  ['in another spelling', encodeURIComponent('ANN+news@xn--bcher-kva.EXAMPLE ')],
  ['with a plus sign sent unencoded', 'ann+news@b%C3%BCcher.example'],
  ['with the plus sign already read as a space', 'ann%20news@b%C3%BCcher.example'],
])('an address finds its lead %s', async (_how, email) => {
  const { status, body } = await get(`campaign_id=${campaignId.toUpperCase()}&email=${email}`)
  expect(status).toBe(200)
  expect(body.email).toBe('Ann+News@Bücher.example')
})

test('an address that begins with a plus sign sent unencoded finds nobody else', async () => {
  const find = (email: string) => get(`campaign_id=${campaignId}&email=${email}`)
  expect((await find('+ann@b%C3%BCcher.example')).status).toBe(404)
  const leads = [{ email: '+ann@bücher.example' }]
  await api.call('POST', '/api/v2/lead/add', { body: { campaign_id: campaignId, leads } })
  expect((await find('+ann@b%C3%BCcher.example')).body.email).toBe('+ann@bücher.example')
})

test('other features find the same record in the workspace of the lead only', async () => {
  const { body } = await get(`campaign_id=${campaignId}&email=ann@b%C3%BCcher.example`)
  const find = (workspaceId: string) =>
    findLead(api.ctx.db, workspaceId, campaignId, 'ANN@bücher.example')
  const lead = await find(api.workspaceId)
  expect(lead && JSON.parse(JSON.stringify(leadRecord(lead)))).toEqual(body)
  expect(await find((await api.createStranger()).workspaceId)).toBeUndefined()
})

test.each([
  ['an address that is in no campaign', 'bob@bücher.example'],
  ['a text that is no address', 'ann'],
])('%s is a 404', async (_what, email) => {
  const { status, body } = await get(`campaign_id=${campaignId}&email=${encodeURIComponent(email)}`)
  expect(status).toBe(404)
  expect(body.code).toBe('not_found')
  expect(body.message).not.toContain(email)
})

test('another campaign and another workspace do not have the lead', async () => {
  const email = encodeURIComponent('ann@bücher.example')
  const other = await api.call('POST', '/api/v2/campaigns', { body: { name: 'two' } })
  expect((await get(`campaign_id=${other.body.id}&email=${email}`)).status).toBe(404)
  const stranger = await api.createStranger()
  expect((await get(`campaign_id=${campaignId}&email=${email}`, stranger.key)).status).toBe(404)
})

test.each([
  ['email', 'campaign_id=019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d'],
  ['email', 'campaign_id=019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d&email='],
  ['email', 'campaign_id=019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d&email=a@b.example&email=a@b.example'],
  ['campaign_id', 'email=a@b.example'],
  ['campaign_id', 'email=a@b.example&campaign_id=1'],
])('%s is required, once and well-formed: %s', async (path, query) => {
  const { status, body } = await get(query)
  expect(status).toBe(400)
  expect(body).toMatchObject({ code: 'invalid_field', details: [{ path }] })
})

test.each([
  ['POST', '/api/v2/lead/add', 'leads:create'],
  ['GET', '/api/v2/lead/get', 'leads:read'],
  ['POST', '/api/v2/lead/update/status', 'leads:update'],
])('%s %s needs %s and no other scope of leads', async (method, url, scope) => {
  const others = ['create', 'read', 'update', 'delete'].map((action) => `leads:${action}`)
  const weak = await api.createKey(others.filter((other) => other !== scope))
  const refused = await api.call(method, url, { key: weak })
  expect(refused.body).toMatchObject({ statusCode: 403, code: 'missing_scope' })
  const allowed = await api.call(method, url, { key: await api.createKey([scope]) })
  expect(allowed.status).toBe(400)
})
