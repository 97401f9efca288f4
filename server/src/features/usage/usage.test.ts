import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { type Browser, setUp } from '../../../test/browser.ts'
import { createMember, createTeam } from '../../../test/people.ts'
import { operator } from '../audit/index.ts'
import { addMailbox, pauseMailbox } from '../mailboxes/index.ts'
import { readUsage } from './usage.ts'

let api: TestApi
let owner: Browser
beforeAll(async () => {
  api = await testApi()
  owner = await setUp(api)
})
afterAll(() => api[Symbol.asyncDispose]())

const ask = async (person: Browser, workspaceId = api.workspaceId) =>
  (await person.call('GET', '/app/usage', { headers: { 'x-workspace-id': workspaceId } })).body

const server = { host: 'mail.example.com', username: 'anna', password: 'secret' }
const mailbox = (address: string, daily_limit: number) =>
  addMailbox(
    api.ctx,
    api.workspaceId,
    { address, daily_limit, smtp: server, imap: server },
    operator,
  )

test('what a workspace uses is its own and of this month, what it has sent today within what it may; the size of the database is the operator’s to see', async () => {
  const { peek } = api.ctx.database
  const now = api.ctx.now()
  const month = now.toISOString().slice(0, 7)
  expect(await ask(owner)).toMatchObject({
    period_start: `${month}-01T00:00:00.000Z`,
    ...{ leads: 0, leads_max: null, mailboxes: 0, mails_today: 0, mails_today_max: 0, mails: 0 },
  })
  const sending = await mailbox('a@example.com', 40)
  await mailbox('b@example.com', 30)
  const paused = await mailbox('c@example.com', 100)
  await pauseMailbox(api.ctx, api.workspaceId, paused.id, operator)
  const { body: campaign } = await api.call('POST', '/api/v2/campaigns', { body: { name: 'One' } })
  const leads = [{ email: 'a@lead.example' }, { email: 'b@lead.example' }]
  await api.call('POST', '/api/v2/lead/add', { body: { campaign_id: campaign.id, leads } })

  const of = { workspace_id: api.workspaceId }
  const today = now.toISOString().slice(0, 10)
  const before = new Date(Date.parse(`${month}-01`) - 86_400_000).toISOString().slice(0, 10)
  const day = { ...of, campaign_id: campaign.id }
  await peek
    .insertInto('campaign_step_days')
    .values([
      { ...day, day: today, sent: 7 },
      { ...day, day: before, sent: 100 },
    ])
    .execute()
  await peek
    .insertInto('mailbox_days')
    .values([
      { ...of, mailbox_id: sending.id, day: today, sent: 7 },
      // Before it was paused.
      { ...of, mailbox_id: paused.id, day: today, sent: 90 },
    ])
    .execute()
  await peek
    .insertInto('webhook_event_counts')
    .values([
      { ...of, date: today, slot: 1, succeeded: 5, failed: 2 },
      { ...of, date: today, slot: 2, succeeded: 1, failed: 0 },
      { ...of, date: before, slot: 1, succeeded: 100, failed: 100 },
    ])
    .execute()
  const used = {
    ...{ leads: 2, mailboxes: 3, mailboxes_active: 2, mails_today: 97, mails_today_max: 160 },
    ...{ mails: 7, deliveries_succeeded: 6, deliveries_failed: 2 },
  }
  expect(await ask(owner)).toMatchObject(used)
  expect((await ask(owner)).database_bytes).toBeGreaterThan(0)

  const { viewer } = await createTeam(api, api.workspaceId)
  expect(await ask(viewer.browser)).toMatchObject({ ...used, database_bytes: null })
  const stranger = await api.createStranger()
  const other = await createMember(api, 'other@team.example', 'viewer', stranger.workspaceId)
  expect(await ask(other.browser, stranger.workspaceId)).toMatchObject({
    ...{ leads: 0, mailboxes: 0, mails_today: 0, mails: 0, deliveries_succeeded: 0 },
  })
})

test('a day that has begun where a campaign is counts for the month that it is in', async () => {
  await using own = await testApi()
  const { ctx, workspaceId } = own
  const { body: campaign } = await own.call('POST', '/api/v2/campaigns', { body: { name: 'One' } })
  const day = { workspace_id: workspaceId, campaign_id: campaign.id }
  await ctx.database.peek
    .insertInto('campaign_step_days')
    .values([
      { ...day, day: '2027-11-29', sent: 1 },
      { ...day, day: '2027-11-30', sent: 10 },
      { ...day, day: '2027-12-01', sent: 100 },
    ])
    .execute()
  const mailsAt = async (time: string) => {
    ctx.clock.set(new Date(time))
    return (await readUsage(ctx, workspaceId, { isOperator: false })).mails
  }
  expect(await mailsAt('2027-11-29T12:00:00Z')).toBe(11)
  expect(await mailsAt('2027-11-30T12:00:00Z')).toBe(11)
  expect(await mailsAt('2027-12-01T12:00:00Z')).toBe(100)
})
