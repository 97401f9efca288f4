import { expect, test } from 'vitest'
import { testApi } from '../../../test/app.ts'
import { createReadyCampaign } from '../../../test/campaigns.ts'
import { getLeadOverview } from './overview.ts'

test('a lead that goes on in a campaign that is completed says what it waits for', async () => {
  await using api = await testApi()
  const { id: campaign_id } = await createReadyCampaign(api)
  const url = `/api/v2/campaigns/${campaign_id}`
  const add = async (email: string): Promise<string> => {
    const body = { campaign_id, leads: [{ email }] }
    return (await api.call('POST', '/api/v2/lead/add', { body })).body.created_leads[0].id
  }
  await add('ann@lead.example')
  await api.call('PATCH', url, { body: { status: 'active' } })
  await api.call('POST', '/api/v2/lead/update/status', {
    body: { campaign_id, email: 'ann@lead.example', new_status: 'lost' },
  })
  expect((await api.call('GET', url)).body.status).toBe('completed')
  const id = await add('bob@lead.example')
  const { reasons } = await getLeadOverview(api.ctx, api.workspaceId, id)
  expect(reasons).toEqual(['The campaign is completed: resume it, and it goes on.'])
})
