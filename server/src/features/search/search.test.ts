import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { type Browser, setUp } from '../../../test/browser.ts'
import { operator } from '../audit/index.ts'
import { addMailbox } from '../mailboxes/index.ts'

let api: TestApi
let owner: Browser
beforeAll(async () => {
  api = await testApi()
  owner = await setUp(api)
})
afterAll(() => api[Symbol.asyncDispose]())

const search = async (q: string) =>
  (
    await owner.call('GET', `/app/search?q=${encodeURIComponent(q)}`, {
      headers: { 'x-workspace-id': api.workspaceId },
    })
  ).body

test('records of each kind are found by any part of their name, five at most, and nobody else’s', async () => {
  const server = { host: 'mail.example.com', username: 'anna', password: 'secret' }
  const address = 'nordwind@example.com'
  await addMailbox(api.ctx, api.workspaceId, { address, smtp: server, imap: server }, operator)
  const stranger = await api.createStranger()
  const post = (path: string, body: object, key = api.key) => api.call('POST', path, { body, key })
  const { body: campaign } = await post('/api/v2/campaigns', { name: 'Nordwind 100%' })
  await post('/api/v2/campaigns', { name: 'Nordwind of others' }, stranger.key)
  await post('/api/v2/webhooks', {
    ...{ name: 'To Nordwind', target_hook_url: 'https://hooks.example.com/' },
    event_type: 'all_events',
  })
  const leads = Array.from({ length: 7 }, (_, n) => ({
    ...{ email: `p${n}@lead.example`, first_name: 'Ada', company_name: 'NORDWIND AG' },
  }))
  await post('/api/v2/lead/add', { campaign_id: campaign.id, leads })

  const found = await search('nordwind')
  expect(found.campaigns).toEqual([{ id: campaign.id, name: 'Nordwind 100%', status: 'draft' }])
  expect(found.leads).toHaveLength(5)
  expect(found.leads[0]).toMatchObject({ name: 'Ada', campaign_id: campaign.id })
  expect(found.mailboxes).toMatchObject([{ address }])
  expect(found.webhooks).toMatchObject([{ name: 'To Nordwind' }])

  expect((await search('100%')).campaigns).toHaveLength(1)
  const nothing = { campaigns: [], leads: [], mailboxes: [], webhooks: [] }
  expect(await search('1%0')).toEqual(nothing)
  expect(await search('n')).toEqual(nothing)
})
