import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { type Browser, setUp } from '../../../test/browser.ts'
import { patience } from '../../../test/patience.ts'
import { createMember } from '../../../test/people.ts'
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

test('whoever searches a workspace very often takes few connections of those that others need, and is told to wait', async () => {
  const { countWaiting, url } = api.ctx.database
  const { workspaceId } = await api.createStranger()
  const other = await createMember(api, 'other@example.com', 'viewer', workspaceId)
  const ask = (browser: Browser, workspace: string, path: string) =>
    browser.call('GET', `/app${path}`, { headers: { 'x-workspace-id': workspace } })
  const untilBlocked = (count: number) => expect.poll(() => countWaiting(), patience).toBe(count)
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  onTestFinished(() => holder.end())
  await holder.query('begin; lock table leads')
  const paths = [
    ...['/search?q=nord', '/leads?search=nord', '/leads/count?search=nord'],
    ...['/leads/export.csv?search=nord', '/leads/bulk'],
  ]
  const body = { action: 'pause', filter: { search: 'nord' } }
  const searches = Array.from({ length: 104 }, (_, n) => {
    const path = paths[n % 5] ?? ''
    const headers = { 'x-workspace-id': api.workspaceId, 'idempotency-key': `change ${n}` }
    return path === '/leads/bulk'
      ? owner.call('POST', `/app${path}`, { headers, body })
      : ask(owner, api.workspaceId, path)
  })
  const refused = await Promise.race(searches)
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1'])
  await untilBlocked(3)
  const theirs = ask(other.browser, workspaceId, '/search?q=nord')
  await untilBlocked(4)
  expect((await ask(owner, api.workspaceId, '/members')).status).toBe(200)
  await holder.query('commit')
  expect((await theirs).status).toBe(200)
  const statuses = (await Promise.all(searches)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([...Array(100).fill(200), ...Array(4).fill(429)])
})
