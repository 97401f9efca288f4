import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../../test/app.ts'
import { createMailbox, createReadyCampaign } from '../../../../test/campaigns.ts'
import { keepInboxRead } from '../../../../test/sending.ts'
import { dayOf } from '../../../kernel/calendar.ts'
import { readCampaign } from '../queries.ts'
import { toRecords } from '../record.ts'

let api: TestApi
let campaign: { id: string; email_list: string[] }
let mailboxId: string
let serial = 0

const always = {
  schedules: [
    {
      timing: { from: '00:00', to: '24:00' },
      days: { 0: true, 1: true, 2: true, 3: true, 4: true, 5: true, 6: true },
      timezone: 'Asia/Kolkata',
    },
  ],
}

beforeAll(async () => {
  api = await testApi()
})
afterAll(() => api[Symbol.asyncDispose]())

beforeEach(async () => {
  campaign = await createReadyCampaign(api, { campaign_schedule: always, daily_limit: 10 })
  mailboxId = await idOf(campaign.email_list[0] ?? '')
  await keepInboxRead(peek(), mailboxId)
  await patch({ status: 'active' })
  const leads = [{ email: `a${serial++}@facts.test` }, { email: `b${serial++}@facts.test` }]
  await api.call('POST', '/api/v2/lead/add', { body: { campaign_id: campaign.id, leads } })
})

const patch = (body: object) => api.call('PATCH', `/api/v2/campaigns/${campaign.id}`, { body })
const reason = async () =>
  (await api.call('GET', `/api/v2/campaigns/${campaign.id}`)).body.sending_status.reason
const peek = () => api.ctx.database.peek
const idOf = async (address: string) =>
  (
    await peek()
      .selectFrom('mailboxes')
      .select('id')
      .where('address', '=', address)
      .executeTakeFirstOrThrow()
  ).id
const setLeads = (set: object) =>
  peek().updateTable('leads').set(set).where('campaign_id', '=', campaign.id).execute()
const setMailbox = (set: object) =>
  peek().updateTable('mailboxes').set(set).where('id', '=', mailboxId).execute()
const countMailbox = (day: string, sent: number) =>
  peek()
    .insertInto('mailbox_days')
    .values({ workspace_id: api.workspaceId, mailbox_id: mailboxId, day, sent })
    .execute()
const countCampaign = (day: string, sent: number, new_leads: number) =>
  peek()
    .insertInto('campaign_days')
    .values({ workspace_id: api.workspaceId, campaign_id: campaign.id, day, sent, new_leads })
    .execute()
const later = () => new Date(api.ctx.now().getTime() + 60_000)
const today = (zone: string) => dayOf(zone, api.ctx.now())
const yesterday = (zone: string) => dayOf(zone, new Date(api.ctx.now().getTime() - 86_400_000))

test('leads that are due are sent to', async () => {
  expect(await reason()).toBeNull()
  expect(
    (await api.call('GET', '/api/v2/campaigns')).body.items[0].sending_status.reason,
  ).toBeNull()
})

test('a campaign that waits says when it sends next, and none that sends does', async () => {
  const status = async () =>
    (await api.call('GET', `/api/v2/campaigns/${campaign.id}`)).body.sending_status
  expect(await status()).toMatchObject({ reason: null, next_send_at: null })
  await setLeads({ timestamp_next_send: later() })
  expect(await status()).toMatchObject({
    reason: 'waiting_for_step_delay',
    next_send_at: later().toISOString(),
  })
})

test('leads that are not due are waited for, in threads as well', async () => {
  await setLeads({ timestamp_next_send: later() })
  expect(await reason()).toBe('waiting_for_step_delay')
  await setLeads({ sending_state: 'active', mailbox_id: mailboxId })
  expect(await reason()).toBe('waiting_for_step_delay')
  await setLeads({ timestamp_next_send: api.ctx.now() })
  expect(await reason()).toBeNull()
})

test('where all leads that are left are paused, that is the reason', async () => {
  await setLeads({ sending_state: 'paused' })
  expect(await reason()).toBe('paused')
})

test('while the workspace is moved to another database, or its move was left, a campaign says so', async () => {
  const setPlace = (moving_to: string | null) =>
    peek().updateTable('workspaces').set({ moving_to }).where('id', '=', api.workspaceId).execute()
  await setPlace('b')
  expect(await reason()).toBe('workspace_moving')
  await setPlace(null)
  expect(await reason()).toBeNull()
})

test('the campaign’s limit is that of its own day', async () => {
  await countCampaign(yesterday('Asia/Kolkata'), 10, 10)
  expect(await reason()).toBeNull()
  await countCampaign(today('Asia/Kolkata'), 10, 3)
  expect(await reason()).toBe('campaign_daily_limit')
  await patch({ daily_limit: 11 })
  expect(await reason()).toBeNull()
  await patch({ daily_max_leads: 3 })
  expect(await reason()).toBe('campaign_daily_limit')
})

test.each([null, 'America/New_York', 'Pacific/Kiritimati'])(
  'the limit of a mailbox is that of its own day, in %s',
  async (timezone) => {
    const zone = timezone ?? 'UTC'
    await setMailbox({ timezone, daily_limit: 5 })
    await countMailbox(yesterday(zone), 5)
    expect(await reason()).toBeNull()
    await countMailbox(today(zone), 5)
    expect(await reason()).toBe('mailbox_daily_limits')
    await setMailbox({ daily_limit: 6 })
    expect(await reason()).toBeNull()
  },
)

test('a mailbox that warms up is full earlier', async () => {
  const ramp_up_from = yesterday('UTC')
  await setMailbox({ daily_limit: 50, ramp_up_start: 2, ramp_up_step: 3, ramp_up_from })
  await countMailbox(today('UTC'), 4)
  expect(await reason()).toBeNull()
  await peek().updateTable('mailbox_days').set({ sent: 5 }).execute()
  expect(await reason()).toBe('mailbox_daily_limits')
})

test('another mailbox has room for new leads, but not for the threads of a full one', async () => {
  const other = await createMailbox(api.ctx, api.workspaceId)
  await patch({ email_list: [...campaign.email_list, other.address] })
  await setMailbox({ daily_limit: 5 })
  await countMailbox(today('UTC'), 5)
  expect(await reason()).toBeNull()
  await setLeads({ sending_state: 'active', mailbox_id: mailboxId })
  expect(await reason()).toBe('mailbox_daily_limits')
  await setMailbox({ status: 'error' })
  expect(await reason()).toBe('mailboxes_unhealthy')
})

test('follow-ups of a mailbox that was not read for a quarter of an hour wait for that', async () => {
  await setLeads({ sending_state: 'active', mailbox_id: mailboxId })
  const readBefore = (minutes: number) => new Date(api.ctx.now().getTime() - minutes * 60_000)
  await setMailbox({ inbox_read_at: readBefore(14) })
  expect(await reason()).toBeNull()
  await setMailbox({ inbox_read_at: readBefore(16) })
  expect(await reason()).toBe('mailboxes_unhealthy')
  await setMailbox({ inbox_read_at: null })
  expect(await reason()).toBe('mailboxes_unhealthy')
})

test('a campaign that is paused after it was read and before its facts are is answered as paused', async () => {
  const { ctx, workspaceId } = api
  const rows = await readCampaign(ctx.db, workspaceId, campaign.id)
  await patch({ status: 'paused' })
  const [record] = await toRecords(ctx, workspaceId, rows)
  expect(record).toMatchObject({ status: 'paused', sending_status: { reason: 'paused' } })
})
