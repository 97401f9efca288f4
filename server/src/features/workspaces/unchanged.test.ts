import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { listAudit } from '../audit/index.ts'
import { setPlan, setWorkspace } from './index.ts'

let api: TestApi
beforeAll(async () => {
  api = await testApi()
})
afterAll(() => api[Symbol.asyncDispose]())

test('of a plan and of settings the audit log tells what has changed, and nothing where nothing has', async () => {
  const { ctx, workspaceId } = api
  await setPlan(ctx, workspaceId, { rate: 77, leadsMax: 500, webhooks: true })
  await setPlan(ctx, workspaceId, { rate: 77, leadsMax: 600, webhooks: true })
  await setPlan(ctx, workspaceId, { rate: 77, leadsMax: 600, webhooks: true })
  const named = await setWorkspace(ctx, workspaceId, { name: 'Acme', unsubscribeByReply: false })
  expect(await setWorkspace(ctx, workspaceId, { name: 'Acme' })).toEqual(named)
  const page = { startingAfter: undefined, limit: 10 }
  const { items } = await listAudit(ctx, workspaceId, page, { action: 'workspace.' })
  expect(items.map(({ action, details }) => [action, details])).toEqual([
    ['workspace.set', { name: 'Acme' }],
    ['workspace.plan_set', { plan_leads_max: 600 }],
    ['workspace.plan_set', { plan_rate: 77, plan_leads_max: 500 }],
  ])
})
