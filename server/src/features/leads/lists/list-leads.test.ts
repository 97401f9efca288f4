import { expect, test } from 'vitest'
import { testApi } from '../../../../test/app.ts'
import { operator } from '../../audit/index.ts'
import { addSuppression } from '../../suppression/index.ts'
import { readFilter } from './filter.ts'
import { listLeads } from './list-leads.ts'

test('who is suppressed is so in the list of leads at once, by the address or by its domain', async () => {
  await using api = await testApi()
  const { ctx, workspaceId } = api
  const { body: campaign } = await api.call('POST', '/api/v2/campaigns', { body: { name: 'x' } })
  const leads = ['Ada@blocked.example', 'bob@lead.example', 'eve@lead.example']
  await api.call('POST', '/api/v2/lead/add', {
    body: { campaign_id: campaign.id, leads: leads.map((email) => ({ email })) },
  })
  const listed = async () => {
    const page = { limit: 10, startingAfter: undefined }
    const { items } = await listLeads(ctx, workspaceId, readFilter({}), page)
    return items.filter(({ is_suppressed }) => is_suppressed).map(({ email }) => email)
  }
  expect(await listed()).toEqual([])
  await addSuppression(ctx, workspaceId, 'blocked.example', operator)
  await addSuppression(ctx, workspaceId, 'eve@lead.example', operator)
  expect((await listed()).toSorted()).toEqual(['Ada@blocked.example', 'eve@lead.example'])
})
