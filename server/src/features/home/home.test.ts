import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { type Browser, setUp } from '../../../test/browser.ts'
import { createConversation } from '../../../test/conversations.ts'
import { createMember } from '../../../test/people.ts'
import { upsertRunner } from '../../kernel/runner/lease-queries.ts'
import { operator } from '../audit/index.ts'
import { addMailbox, pauseMailbox, removeMailbox, resumeMailbox } from '../mailboxes/index.ts'
import { holdSending } from '../sending/index.ts'
import { setPlan } from '../workspaces/index.ts'

let api: TestApi
let owner: Browser
beforeAll(async () => {
  api = await testApi()
  // A runner or a reading that is minutes old must be no older by the end of a slow run.
  await api.ctx.database.stopClock(api.ctx.now())
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
  // Without them in the plan nothing is tried, and its page is closed.
  await setPlan(api.ctx, api.workspaceId, { webhooks: false })
  expect((await attention()).filter(({ kind }: { kind: string }) => kind === 'webhook')).toEqual([])
  await setPlan(api.ctx, api.workspaceId, { webhooks: true })
  await holdSending(api.ctx)
  expect((await attention())[0]).toMatchObject({ kind: 'held' })
})

test('whoever runs the installation sees what a held one would send, and lets it go on', async () => {
  await holdSending(api.ctx)
  const { held } = await ask('/sending-hold')
  expect(held).toMatchObject({
    ...{ detail: 'An operator held it.', since: expect.any(String), last_mail: null },
    ...{ active_campaigns: 1, pending_deliveries: 0, leads_due: expect.any(Number) },
  })
  const other = await createMember(api, 'admin@team.example', 'admin')
  for (const call of [
    other.browser.call('GET', '/app/sending-hold'),
    other.browser.call('POST', '/app/sending-hold/confirm', { body: { seen: held.seen } }),
  ])
    expect(await call).toMatchObject({ status: 403, body: { code: 'role_required' } })
  const confirm = (seen = held.seen) =>
    owner.call('POST', '/app/sending-hold/confirm', { body: { seen } })
  // Of another look than the last.
  expect(await confirm('mails_missing.2')).toMatchObject({
    ...{ status: 409, body: { code: 'not_ready' } },
  })
  expect(await confirm()).toMatchObject({ status: 200, body: { uncertain: 0 } })
  expect(await ask('/sending-hold')).toEqual({ held: null })
  expect((await attention())[0]).not.toMatchObject({ kind: 'held' })
  expect(await confirm()).toMatchObject({ status: 409, body: { code: 'invalid_transition' } })
})

test('a campaign whose last leads are paused is named, and one that a person paused is not', async () => {
  const body = { name: 'Held back', sequences, email_list: ['first@example.com'] }
  const { id } = await post('/api/v2/campaigns', body)
  await post('/api/v2/lead/add', { campaign_id: id, leads: [{ email: 'p@lead.example' }] })
  const setStatus = (status: string) =>
    api.call('PATCH', `/api/v2/campaigns/${id}`, { body: { status } })
  await setStatus('active')
  const ofIt = async () =>
    (await attention()).filter(({ name }: Record<string, unknown>) => name === 'Held back')
  expect(await ofIt()).toEqual([])
  const { peek } = api.ctx.database
  const leads = peek.updateTable('leads').where('campaign_id', '=', id)
  await leads.set({ sending_state: 'paused' }).execute()
  expect(await ofIt()).toEqual([{ kind: 'campaign', name: 'Held back', reason: 'leads_paused' }])
  await setStatus('paused')
  expect(await ofIt()).toEqual([])
  await leads.set({ sending_state: 'stopped' }).execute()
})

test('a campaign that has none but new leads, and writes to none, is named', async () => {
  const body = { name: 'No new ones', sequences, email_list: ['first@example.com'] }
  const { id } = await post('/api/v2/campaigns', body)
  await post('/api/v2/lead/add', { campaign_id: id, leads: [{ email: 'n@lead.example' }] })
  const patch = (body: object) => api.call('PATCH', `/api/v2/campaigns/${id}`, { body })
  await patch({ status: 'active', daily_max_leads: 0 })
  expect(await attention()).toContainEqual({
    ...{ kind: 'campaign', name: 'No new ones', reason: 'no_new_leads' },
  })
  await patch({ status: 'paused' })
})

test('a campaign whose last leads wait for a mailbox that does not send is named as one that sends nothing', async () => {
  const { id: mailbox_id } = await mailbox('gone@example.com')
  const email_list = ['first@example.com', 'gone@example.com']
  const body = { name: 'Left behind', sequences, email_list }
  const { id } = await post('/api/v2/campaigns', body)
  const [waits, isNew] = [{ email: 'w@lead.example' }, { email: 'new@lead.example' }]
  await post('/api/v2/lead/add', { campaign_id: id, leads: [waits, isNew] })
  const patch = (body: object) => api.call('PATCH', `/api/v2/campaigns/${id}`, { body })
  await patch({ status: 'active' })
  const { peek } = api.ctx.database
  // As after the first of its mails.
  await peek
    .updateTable('leads')
    .set({ mailbox_id, current_step: 1, sending_state: 'active' })
    .where('campaign_id', '=', id)
    .where('email', '=', waits.email)
    .execute()
  await removeMailbox(api.ctx, api.workspaceId, mailbox_id, operator)
  const named = { kind: 'campaign', name: 'Left behind' }
  expect(await attention()).toContainEqual({ ...named, reason: 'leads_waiting' })
  await patch({ daily_max_leads: 0 })
  expect(await attention()).toContainEqual({ ...named, reason: 'waiting_for_mailbox' })
  await patch({ status: 'paused' })
})

test('a campaign that stands still is named, however many newer ones send', async () => {
  const create = async (name: string): Promise<string> => {
    const { id } = await post('/api/v2/campaigns', {
      ...{ name, sequences, email_list: ['first@example.com'] },
    })
    await post('/api/v2/lead/add', { campaign_id: id, leads: [{ email: 'all@lead.example' }] })
    return id
  }
  const oldest = await create('The oldest')
  const ids = [oldest]
  for (let newer = 0; newer < 101; newer++) ids.push(await create(`Newer ${newer}`))
  const { peek } = api.ctx.database
  const setStatus = (status: string) =>
    peek.updateTable('campaigns').set({ status }).where('id', 'in', ids).execute()
  await setStatus('active')
  const leads = peek.updateTable('leads').where('campaign_id', '=', oldest)
  await leads.set({ sending_state: 'paused' }).execute()
  expect(await attention()).toContainEqual({
    ...{ kind: 'campaign', name: 'The oldest', reason: 'leads_paused' },
  })
  await setStatus('completed')
})

test('each uncertain mail leads to where it is decided, and an inbox that nobody reads is named', async () => {
  const { peek } = api.ctx.database
  const { id: campaign } = await post('/api/v2/campaigns', { name: 'Uncertain' })
  const leads = [{ email: 'ann@lead.example' }]
  await post('/api/v2/lead/add', { campaign_id: campaign, leads })
  const { id: thread } = await createConversation(api, api.workspaceId, campaign)
  await peek.updateTable('sends').set({ state: 'uncertain' }).execute()
  const uncertain = async () => {
    const { attention } = await ask('/home')
    return attention.filter(({ kind }: { kind: string }) => kind.startsWith('uncertain'))
  }
  // A conversation decides what a person wrote; the campaign's list of mails has no such row.
  expect(await uncertain()).toMatchObject([
    { kind: 'uncertain_reply', id: thread, name: 'ann@lead.example', count: 1 },
  ])
  await peek
    .updateTable('sends')
    .set({ kind: 'step', reply: null, step: 1, variant: 1, variant_id: api.ctx.newId() })
    .set({ mailbox_day: '2026-11-20', campaign_day: '2026-11-20' })
    .execute()
  expect(await uncertain()).toMatchObject([
    { kind: 'uncertain', id: campaign, name: 'Uncertain', count: 1, since: expect.any(String) },
  ])

  const unread = async () => {
    const { attention } = await ask('/home')
    return attention.filter(({ kind }: { kind: string }) => kind === 'mailbox_unread')
  }
  await mailbox('lately@example.com')
  const read = async (address: string, at: Date) =>
    peek
      .updateTable('mailboxes')
      .set({ inbox_read_at: at })
      .where('address', '=', address)
      .execute()
  const ago = (minutes: number) => new Date(api.ctx.now().getTime() - minutes * 60_000)
  await read('first@example.com', ago(14))
  // Nobody reads at all: that is said instead.
  expect(await unread()).toEqual([])
  const runner = { id: api.ctx.newId(), slot: 0, process: null, keyIds: [] }
  await upsertRunner(api.ctx.db, 'mailboxes', runner)
  expect(await unread()).toEqual([])
  await read('first@example.com', ago(16))
  expect(await unread()).toMatchObject([
    { name: 'first@example.com', since: ago(16).toISOString() },
  ])
  // The page of mailboxes calls one that was connected just now neither read nor forgotten.
  const { items } = await ask('/mailboxes')
  const isRead = items.map((each: Record<string, unknown>) => [each.address, each.is_inbox_read])
  expect(isRead).toContainEqual(['first@example.com', false])
  expect(isRead).toContainEqual(['lately@example.com', false])
})

test('an inbox is not called unread while the mailbox was resumed just now', async () => {
  const { peek } = api.ctx.database
  const { id } = await mailbox('resumed@example.com')
  const ago = (minutes: number) => new Date(api.ctx.now().getTime() - minutes * 60_000)
  const set = (times: { timestamp_created?: Date; timestamp_updated: Date }) =>
    peek.updateTable('mailboxes').set(times).where('id', '=', id).execute()
  const unread = async () =>
    (await attention()).filter(
      ({ kind, name }: Record<string, unknown>) =>
        kind === 'mailbox_unread' && name === 'resumed@example.com',
    )
  const runner = { id: api.ctx.newId(), slot: 0, process: null, keyIds: [] }
  await upsertRunner(api.ctx.db, 'mailboxes', runner)
  await set({ timestamp_created: ago(600), timestamp_updated: ago(16) })
  expect(await unread()).toHaveLength(1)
  await pauseMailbox(api.ctx, api.workspaceId, id, operator)
  await resumeMailbox(api.ctx, api.workspaceId, id, operator)
  expect(await unread()).toEqual([])
  await set({ timestamp_updated: ago(16) })
  expect(await unread()).toHaveLength(1)
})

test('analytics are by day, and another workspace’s campaign has none', async () => {
  const { peek } = api.ctx.database
  const campaign = await post('/api/v2/campaigns', { name: 'Counted' })
  const row = (day: string, sent: number, replied: number) => ({
    ...{ workspace_id: api.workspaceId, campaign_id: campaign.id, day },
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
  const without = ['?to=0000-01-15', '?to=0001-01-10', '?from=0000-01-15&to=0001-01-10']
  const wrong = ['?from=2021-02-30', '?from=2020-01-02&to=2020-01-01', '?to=yesterday']
  for (const query of [...wrong, ...without])
    expect((await ask(`/analytics${query}`)).code).toBe('invalid_field')
})
