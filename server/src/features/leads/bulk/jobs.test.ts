import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../../test/app.ts'
import { changeMany, getJob, runLeadJobs, undoJob } from './jobs.ts'

let api: TestApi
beforeAll(async () => {
  api = await testApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const by = { actor: { type: 'user', id: '019a9d5e-8a10-7c31-9d0a-5e1f6a2b3c4d' } as const }

async function campaignOf(...counts: number[]): Promise<string> {
  const { body } = await api.call('POST', '/api/v2/campaigns', { body: { name: 'many' } })
  for (const [part, count] of counts.entries()) {
    const leads = Array.from({ length: count }, (_, n) => ({ email: `p${part}n${n}@many.example` }))
    await api.call('POST', '/api/v2/lead/add', { body: { campaign_id: body.id, leads } })
  }
  return body.id
}

test('a change that a runner makes has no way back, however many are left out of it', async () => {
  const campaign_id = await campaignOf(1000, 1000, 1)
  const excluded = Array.from({ length: 1500 }, () => api.ctx.newId())
  const change = { action: 'pause', filter: { campaign_id }, excluded } as const
  const { id, state, total } = await changeMany(api.ctx, api.workspaceId, change, by)
  expect({ state, total }).toEqual({ state: 'running', total: 2001 })
  await runLeadJobs(api.ctx)
  const job = await getJob(api.ctx, api.workspaceId, id)
  expect(job).toMatchObject({ state: 'finished', total: 2001, changed: 2001, can_undo: false })
  await expect(undoJob(api.ctx, api.workspaceId, id, by)).rejects.toMatchObject({
    code: 'not_ready',
  })
})

test('a campaign that a change of its last leads has completed is active again when that is undone', async () => {
  const campaign_id = await campaignOf(3)
  const { peek } = api.ctx.database
  await peek
    .updateTable('campaigns')
    .set({ status: 'active' })
    .where('id', '=', campaign_id)
    .execute()
  const read = async () => (await api.call('GET', `/api/v2/campaigns/${campaign_id}`)).body
  const active = await read()
  const change = { action: 'set_status', status: 'completed', filter: { campaign_id } } as const
  const { id } = await changeMany(api.ctx, api.workspaceId, change, by)
  const completed = await read()
  expect(completed.status).toBe('completed')
  await undoJob(api.ctx, api.workspaceId, id, by)
  const reopened = await read()
  expect(reopened.status).toBe('active')
  // Also within one millisecond each is a version of its own: whoever has read another one is told.
  const versions = [active, completed, reopened].map((campaign) => campaign.timestamp_updated)
  expect(new Set(versions).size).toBe(3)
})
