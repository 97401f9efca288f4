import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { type Browser, setUp } from '../../../test/browser.ts'
import { operator } from '../audit/index.ts'
import { addMailbox } from '../mailboxes/index.ts'
import { holdSending } from '../sending/index.ts'

let api: TestApi
let owner: Browser
beforeAll(async () => {
  api = await testApi()
  owner = await setUp(api)
})
afterAll(() => api[Symbol.asyncDispose]())

const ask = async (path: string) =>
  (await owner.call('GET', `/app${path}`, { headers: { 'x-workspace-id': api.workspaceId } })).body

const post = async (path: string, body: object) => (await api.call('POST', path, { body })).body

const attention = async () => {
  const { attention } = await ask('/home')
  return attention.map(({ kind, name, reason }: Record<string, unknown>) => ({
    kind,
    name,
    reason,
  }))
}

const server = { host: 'mail.example.com', username: 'anna', password: 'secret' }
const mailbox = (address: string) =>
  addMailbox(api.ctx, api.workspaceId, { address, smtp: server, imap: server }, operator)
const sequences = [{ steps: [{ variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] }] }]

test('the checklist is ticked by what is there', async () => {
  const done = async () => {
    const { checklist } = await ask('/home')
    return Object.keys(checklist).filter((step) => checklist[step])
  }
  // The key with which tests of the API call it.
  expect(await done()).toEqual(['key'])
  await mailbox('first@example.com')
  expect(await done()).toEqual(['mailbox', 'key'])
  const campaign = await post('/api/v2/campaigns', { name: 'Empty' })
  await post('/api/v2/lead/add', { campaign_id: campaign.id, leads: [{ email: 'a@lead.example' }] })
  expect(await done()).toEqual(['mailbox', 'leads', 'key'])
  const body = { name: 'Full', sequences, email_list: ['first@example.com'] }
  const { id } = await post('/api/v2/campaigns', body)
  expect(await done()).toContain('step')
  await api.call('PATCH', `/api/v2/campaigns/${id}`, { body: { status: 'active' } })
  expect(await done()).toEqual(['mailbox', 'leads', 'step', 'launch', 'key'])
})

test('what does not work is told with its reason, and only as long as it does not', async () => {
  const { peek } = api.ctx.database
  // Nothing sends here, and the campaign of the test before has no leads.
  const before = [
    { kind: 'no_runner', name: null, reason: null },
    { kind: 'campaign', name: 'Full', reason: 'no_leads' },
  ]
  expect(await attention()).toEqual(before)

  const { id } = await mailbox('broken@example.com')
  await peek
    .updateTable('mailboxes')
    .set({ status: 'error', status_reason: 'The password is wrong.' })
    .where('id', '=', id)
    .execute()
  const body = { target_hook_url: 'https://hooks.example.com/a', event_type: 'all_events' }
  const hook = await post('/api/v2/webhooks', { ...body, name: 'CRM' })
  const paused = await post('/api/v2/webhooks', { ...body, name: 'Paused by hand' })
  const disable = (hookId: string, disabled_reason: string) =>
    peek
      .updateTable('webhooks')
      .set({ status: 'disabled', disabled_reason, timestamp_disabled: api.ctx.now() })
      .where('id', '=', hookId)
      .execute()
  await disable(hook.id, 'failing')
  await disable(paused.id, 'manual')
  expect(await attention()).toEqual([
    before[0],
    { kind: 'mailbox', name: 'broken@example.com', reason: 'The password is wrong.' },
    before[1],
    { kind: 'webhook', name: 'CRM', reason: 'failing' },
  ])
  await holdSending(api.ctx)
  expect((await attention())[0]).toMatchObject({ kind: 'held' })
})

test('analytics are by day, and another workspace’s campaign has none', async () => {
  const { peek } = api.ctx.database
  const campaign = await post('/api/v2/campaigns', { name: 'Counted' })
  const row = (day: string, sent: number, replied: number) => ({
    ...{ workspace_id: api.workspaceId, campaign_id: campaign.id, day, step: 1, variant: 1 },
    ...{ sent, replied },
  })
  const today = api.ctx.now().toISOString().slice(0, 10)
  // Auckland is there already.
  const tomorrow = new Date(Date.parse(today) + 86_400_000).toISOString().slice(0, 10)
  const rows = [row(today, 5, 1), row(tomorrow, 2, 0), row('2020-02-29', 3, 0)]
  await peek.insertInto('campaign_step_days').values(rows).execute()
  const days = async (query: string) => {
    const { items } = await ask(`/analytics${query}`)
    return items.map(({ day, sent, replied }: Record<string, unknown>) => [day, sent, replied])
  }
  expect(await days('')).toEqual([
    [today, 5, 1],
    [tomorrow, 2, 0],
  ])
  expect(await days('?from=2020-02-29&to=2020-03-01')).toEqual([['2020-02-29', 3, 0]])
  expect(await days(`?campaign_id=${campaign.id}`)).toHaveLength(2)
  expect(await days(`?campaign_id=${api.ctx.newId()}`)).toEqual([])
  for (const query of ['?from=2021-02-30', '?from=2020-01-02&to=2020-01-01', '?to=yesterday'])
    expect((await ask(`/analytics${query}`)).code).toBe('invalid_field')
})
