import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { insertCompany, insertPerson } from '../../../test/directory-rows.ts'
import { setPlan } from '../workspaces/index.ts'

let api: TestApi
let contact_id: string
let calls: [method: string, path: string, scope: string, body?: object][]
beforeAll(async () => {
  api = await testApi()
  const company_id = await insertCompany(api.ctx)
  contact_id = await insertPerson(api.ctx, { company_id })
  const body = { contact_id, list_name: 'one' }
  const acquired = await api.call('POST', '/api/v1/leadbank/acquire_email', { body })
  calls = [
    ['POST', '/api/v1/leadbank/find', 'leadbank:read', {}],
    ['POST', '/api/v1/leadbank/acquire_email', 'leadbank:create', body],
    ['GET', '/api/v1/leadbank/balance/get', 'leadbank:read'],
    ['GET', '/api/v1/leadbank/acquire-lists', 'leadbank:read'],
    ['GET', `/api/v1/leadbank/acquire-lists/${acquired.body.list_id}/leads`, 'leadbank:read'],
    ['GET', `/leadbank/api/v1/company/${company_id}`, 'leadbank:read'],
  ]
})
afterAll(() => api[Symbol.asyncDispose]())

async function outcomes(key: string) {
  const answers = []
  for (const [method, path, , body] of calls) {
    const answer = await api.call(method, path, { key, ...(body ? { body } : {}) })
    answers.push(answer.status === 200 ? 200 : answer.body.code)
  }
  return answers
}
const everywhere = (outcome: number | string) => Array(6).fill(outcome)

test('any key will do, whatever its scopes, while the workspace is entitled', async () => {
  const key = await api.createKey(['campaigns:read'])
  expect(await outcomes(key)).toEqual(everywhere(200))
  await setPlan(api.ctx, api.workspaceId, { acquisition: false })
  expect(await outcomes(key)).toEqual(everywhere('entitlement_required'))
  expect(await outcomes(api.key)).toEqual(everywhere('entitlement_required'))
  await setPlan(api.ctx, api.workspaceId, { acquisition: true })
})

describe('where the workspace demands scopes', () => {
  beforeAll(async () => {
    await setPlan(api.ctx, api.workspaceId, { leadbankScopeRequired: true })
  })
  afterAll(async () => {
    await setPlan(api.ctx, api.workspaceId, { leadbankScopeRequired: false })
  })

  test('a key without them is refused, by name', async () => {
    const key = await api.createKey(['campaigns:all', 'leads:all'])
    expect(await outcomes(key)).toEqual(everywhere('missing_scope'))
    const { body } = await api.call('GET', '/api/v1/leadbank/balance/get', { key })
    expect(body.message).toContain('leadbank:read')
    expect(body.message).toContain('campaigns:all')
  })

  test('reading and acquiring have scopes of their own', async () => {
    const read = await outcomes(await api.createKey(['leadbank:read']))
    expect(read).toEqual([200, 'missing_scope', 200, 200, 200, 200])
    const create = await outcomes(await api.createKey(['leadbank:create']))
    expect(create).toEqual(read.map((outcome) => (outcome === 200 ? 'missing_scope' : 200)))
  })

  test.each(['leadbank:*', 'all:all', 'all:*'])('%s allows all', async (scope) => {
    expect(await outcomes(await api.createKey([scope]))).toEqual(everywhere(200))
  })

  test('other workspaces are not asked for them', async () => {
    const stranger = await api.createStranger()
    const key = await api.createKey(['campaigns:read'], stranger.workspaceId)
    const { status } = await api.call('POST', '/api/v1/leadbank/find', { key, body: {} })
    expect(status).toBe(200)
  })
})

test('its requests are counted in a window of their own', async () => {
  const { workspaceId, key } = await api.createStranger()
  await setPlan(api.ctx, workspaceId, { rate: 2 })
  const balance = () => api.call('GET', '/api/v1/leadbank/balance/get', { key })
  const campaigns = () => api.call('GET', '/api/v2/campaigns', { key })
  expect([(await balance()).status, (await balance()).status]).toEqual([200, 200])
  expect((await balance()).body.code).toBe('rate_limited')
  expect([(await campaigns()).status, (await campaigns()).status]).toEqual([200, 200])
  expect((await campaigns()).body.code).toBe('rate_limited')
})
