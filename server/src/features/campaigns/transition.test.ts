import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { createMailbox, createReadyCampaign, oneStep } from '../../../test/campaigns.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { operator } from '../audit/index.ts'
import { removeMailbox } from '../mailboxes/index.ts'
import { setPlan } from '../workspaces/index.ts'
import { getCampaign } from './campaigns.ts'
import { addLeadCounts, type LeadCounts } from './index.ts'
import { type CampaignStatus, campaignStatuses } from './schema.ts'
import { updateCampaign } from './update-campaign.ts'

let api: TestApi
let id: string

beforeAll(async () => {
  api = await testApi()
})

afterAll(() => api[Symbol.asyncDispose]())

beforeEach(async () => {
  id = (await createReadyCampaign(api)).id
  api.ctx.clock.advance(1000)
})

const patch = (body: unknown, campaignId = id) =>
  api.call('PATCH', `/api/v2/campaigns/${campaignId}`, { body })
const read = async () => (await api.call('GET', `/api/v2/campaigns/${id}`)).body

const eventsOf = async (campaignId = id) => {
  const rows = await api.ctx.db
    .selectFrom('events')
    .select(['type', 'body'])
    .where('workspace_id', '=', api.workspaceId)
    .where('campaign_id', '=', campaignId)
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ type: row.type, payload: JSON.parse(row.body) }))
}

/** As the leads feature does it when leads are added or finished. */
const count = (by: Partial<LeadCounts>) =>
  transaction(api.ctx, async (tx) => {
    const completed = await addLeadCounts(tx, api.workspaceId, new Map([[id, by]]))
    return completed.includes(id)
  })

/** Only by what a client or the service can do. */
async function bringTo(status: CampaignStatus) {
  if (status === 'draft') return
  await patch({ status: 'active' })
  if (status === 'paused') await patch({ status: 'paused' })
  if (status === 'completed') {
    await count({ total: 1, active: 1 })
    await count({ active: -1, completed: 1 })
  }
}

const allowed: Record<CampaignStatus, CampaignStatus[]> = {
  draft: ['active'],
  active: ['paused'],
  paused: ['active'],
  completed: [],
}

describe.each(campaignStatuses)('a campaign that is %s', (from) => {
  test.each(campaignStatuses)('set to %s', async (to) => {
    await bringTo(from)
    const before = await read()
    const eventsBefore = await eventsOf()
    expect(before.status).toBe(from)
    api.ctx.clock.advance(1000)
    const answer = await patch({ name: 'renamed', status: to })
    if (from === to) {
      expect(answer).toMatchObject({ status: 200, body: { name: 'renamed', status: from } })
      expect(await eventsOf()).toEqual(eventsBefore)
      return
    }
    if (allowed[from].includes(to)) {
      expect(answer).toMatchObject({ status: 200, body: { name: 'renamed', status: to } })
      const [event, ...others] = (await eventsOf()).slice(eventsBefore.length)
      expect(others).toEqual([])
      const type = to === 'active' ? 'campaign.activated' : 'campaign.paused'
      expect(event).toMatchObject({
        type,
        payload: {
          type,
          campaign_id: id,
          campaign_name: 'renamed',
          lead_email: null,
          data: { campaign: answer.body, previous_status: from },
        },
      })
      return
    }
    expect(answer).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition', details: [{ path: '/status' }] },
    })
    expect(await read()).toEqual(before)
    expect(await eventsOf()).toEqual(eventsBefore)
  })
})

test('leads that are being added while a completed campaign is activated count', async () => {
  await bringTo('completed')
  const { answer } = await transaction(api.ctx, async (tx) => {
    await sql`select from campaigns where workspace_id = ${api.workspaceId}::uuid and id = ${id}::uuid for key share`.execute(
      tx.db,
    )
    const answer = patch({ status: 'active' })
    await api.ctx.database.untilWaiting()
    await addLeadCounts(tx, api.workspaceId, new Map([[id, { total: 1, active: 1 }]]))
    return { answer }
  })
  expect((await answer).status).toBe(200)
})

test('a completed campaign is activated again once leads were added', async () => {
  await bringTo('completed')
  expect((await patch({ status: 'active' })).status).toBe(409)
  await count({ total: 1, active: 1 })
  expect(await patch({ status: 'active' })).toMatchObject({
    status: 200,
    body: { status: 'active', lead_counts: { total: 2, active: 1, completed: 1 } },
  })
})

test('a record read before a campaign was completed activates it again once leads were added', async () => {
  await bringTo('active')
  const active = await read()
  await count({ total: 1, active: 1 })
  await count({ active: -1, completed: 1 })
  expect((await read()).status).toBe('completed')
  await count({ total: 1, active: 1 })
  expect(await patch(active)).toMatchObject({ status: 200, body: { status: 'active' } })
})

test('setting the status it has tells the same and writes no event', async () => {
  await bringTo('active')
  const before = await read()
  api.ctx.clock.advance(1000)
  expect(await patch({ status: 'active' })).toMatchObject({ status: 200, body: before })
  expect((await eventsOf()).map((event) => event.type)).toEqual(['campaign.activated'])
})

test('a change waits for the one before it and is judged by what that left', async () => {
  const second = await transaction(api.ctx, async (tx) => {
    await updateCampaign(tx, api.workspaceId, id, { status: 'active', name: 'first' })
    const waiting = patch({ status: 'active' })
    await api.ctx.database.untilWaiting()
    return { waiting }
  })
  expect(await second.waiting).toMatchObject({ status: 200, body: { name: 'first' } })
  expect((await eventsOf()).map((event) => event.type)).toEqual(['campaign.activated'])
})

test('a pause that meets an activation under way follows it', async () => {
  const second = await transaction(api.ctx, async (tx) => {
    await updateCampaign(tx, api.workspaceId, id, { status: 'active' })
    const waiting = patch({ status: 'paused' })
    await api.ctx.database.untilWaiting()
    return { waiting }
  })
  expect((await second.waiting).body.status).toBe('paused')
  expect((await eventsOf()).map((event) => event.type)).toEqual([
    'campaign.activated',
    'campaign.paused',
  ])
})

test('an empty campaign is not ready, and every reason is told at once', async () => {
  const { body } = await api.call('POST', '/api/v2/campaigns', {
    body: {
      name: 'empty',
      schedule: {
        end_date: '2020-01-01',
        schedules: [{ timing: { from: '09:00', to: '17:00' }, days: { 1: true }, timezone: 'UTC' }],
      },
    },
  })
  const answer = await patch({ status: 'active' }, body.id)
  expect(answer).toMatchObject({ status: 409, body: { code: 'not_ready' } })
  const paths = answer.body.details.map((detail: { path: string }) => detail.path)
  expect(paths).toEqual([
    expect.stringMatching(/^\/sequences/),
    '/email_list',
    '/campaign_schedule/end_date',
  ])
})

const disabled = [{ steps: [{ variants: [{ subject: 'Hello', body: 'x', v_disabled: true }] }] }]
/** The days that are left, a Saturday and a Sunday, are none of its days. */
const closed = {
  start_date: '2098-05-10',
  end_date: '2098-05-11',
  schedules: [{ timing: { from: '09:00', to: '17:00' }, days: { 1: true }, timezone: 'UTC' }],
}
const yesterday = {
  end_date: '2020-01-01',
  schedules: [{ timing: { from: '09:00', to: '17:00' }, days: { 1: true }, timezone: 'UTC' }],
}

test.each([
  ['a step', { sequences: [] }, /^\/sequences/],
  ['an enabled variant', { sequences: disabled }, /^\/sequences/],
  ['a mailbox', { email_list: [] }, /^\/email_list$/],
  ['a day left in its schedule', { campaign_schedule: yesterday }, /^\/campaign_schedule/],
  ['a window left in its schedule', { campaign_schedule: closed }, /^\/campaign_schedule$/],
])(
  'a campaign without %s is not ready, and the fields sent with it stay',
  async (_what, change, path) => {
    const before = await read()
    const answer = await patch({ ...change, name: 'renamed', status: 'active' })
    expect(answer).toMatchObject({
      status: 409,
      body: { code: 'not_ready', details: [{ path: expect.stringMatching(path) }] },
    })
    expect(await read()).toEqual(before)
    expect(await eventsOf()).toEqual([])
  },
)

test('what was missing can come with the activation itself', async () => {
  const mailbox = await createMailbox(api.ctx, api.workspaceId)
  const { body } = await api.call('POST', '/api/v2/campaigns', { body: { name: 'late' } })
  const change = { sequences: oneStep, email_list: [mailbox.address], status: 'active' }
  expect(await patch(change, body.id)).toMatchObject({ status: 200, body: { status: 'active' } })
})

test.each(['error', 'paused'])('a mailbox that is %s is none to send from', async (status) => {
  await setMailboxStatus(status)
  expect(await patch({ status: 'active' })).toMatchObject({
    status: 409,
    body: { code: 'not_ready', details: [{ path: '/email_list' }] },
  })
})

test('a campaign that could not start now can be paused', async () => {
  await bringTo('active')
  await setMailboxStatus('error')
  await patch({ sequences: [] })
  expect(await patch({ status: 'paused' })).toMatchObject({
    status: 200,
    body: { status: 'paused' },
  })
})

test('a removed mailbox is none to send from', async () => {
  const { id: mailboxId } = await mailboxOf()
  await removeMailbox(api.ctx, api.workspaceId, mailboxId, operator)
  expect((await patch({ status: 'active' })).body.details).toMatchObject([{ path: '/email_list' }])
})

test('a campaign is complete when its last lead is finished, and says so once', async () => {
  await bringTo('active')
  expect(await count({ total: 2, active: 2 })).toBe(false)
  expect(await count({ active: -1, replied: 1 })).toBe(false)
  api.ctx.clock.advance(1000)
  expect(await count({ active: -1, completed: 1 })).toBe(true)
  expect(await count({})).toBe(false)
  const campaign = await read()
  expect(campaign).toMatchObject({
    status: 'completed',
    lead_counts: { total: 2, active: 0, completed: 1, replied: 1, bounced: 0, unsubscribed: 0 },
    sending_status: { state: 'waiting', reason: 'completed' },
    timestamp_updated: api.ctx.now().toISOString(),
  })
  const [, completed, ...others] = await eventsOf()
  expect(others).toEqual([])
  expect(completed).toMatchObject({
    type: 'campaign.completed',
    payload: { data: { campaign, previous_status: 'active' } },
  })
})

test.each(['draft', 'paused'] as const)('a %s campaign is never completed', async (status) => {
  await bringTo(status)
  await count({ total: 1, active: 1 })
  expect(await count({ active: -1, completed: 1 })).toBe(false)
  expect((await read()).status).toBe(status)
})

test.each(['draft', 'paused'] as const)(
  'a campaign whose leads were all done while it was %s is complete once it is activated',
  async (status) => {
    await bringTo(status)
    await count({ total: 1, active: 1 })
    await count({ active: -1, replied: 1 })
    const before = (await eventsOf()).length
    const answer = await patch({ status: 'active', name: 'renamed' })
    expect(answer).toMatchObject({ status: 200, body: { status: 'completed', name: 'renamed' } })
    expect(await read()).toEqual(answer.body)
    expect((await eventsOf()).slice(before)).toMatchObject([
      {
        type: 'campaign.activated',
        payload: { data: { campaign: { status: 'active' }, previous_status: status } },
      },
      {
        type: 'campaign.completed',
        payload: { data: { campaign: answer.body, previous_status: 'active' } },
      },
    ])
  },
)

test('a campaign whose last lead is being finished while it is activated is complete', async () => {
  await count({ total: 1, active: 1 })
  const { answer } = await transaction(api.ctx, async (tx) => {
    const last = new Map([[id, { active: -1, completed: 1 }]])
    expect(await addLeadCounts(tx, api.workspaceId, last)).toEqual([])
    const answer = patch({ status: 'active' })
    await Promise.race([api.ctx.database.untilWaiting(), answer])
    return { answer }
  })
  expect((await answer).body.status).toBe('completed')
})

test('an active campaign without leads is not complete', async () => {
  await bringTo('active')
  expect(await count({})).toBe(false)
  expect((await read()).status).toBe('active')
})

test('of two last leads that finish at once exactly one completes the campaign', async () => {
  await bringTo('active')
  await count({ total: 2, active: 2 })
  const last = { active: -1, completed: 1 }
  const outcomes = await Promise.all([count(last), count(last)])
  expect(outcomes.toSorted()).toEqual([false, true])
  expect((await eventsOf()).map((event) => event.type)).toEqual([
    'campaign.activated',
    'campaign.completed',
  ])
})

test('a completion that is rolled back leaves neither status nor event', async () => {
  await bringTo('active')
  await count({ total: 1, active: 1 })
  const failing = transaction(api.ctx, async (tx) => {
    const last = new Map([[id, { active: -1, completed: 1 }]])
    expect(await addLeadCounts(tx, api.workspaceId, last)).toEqual([id])
    throw new Error('the lead was not stored')
  })
  await expect(failing).rejects.toThrow('the lead was not stored')
  expect(await read()).toMatchObject({ status: 'active', lead_counts: { active: 1 } })
  expect((await eventsOf()).map((event) => event.type)).toEqual(['campaign.activated'])
})

test('the sending status follows clock, leads, mailboxes and plan', async () => {
  const reason = async () => (await getCampaign(api.ctx, api.workspaceId, id)).sending_status.reason
  await patch({ status: 'active' })
  expect(await reason()).toBe('no_leads')
  const leads = [{ email: 'ann@example.com' }]
  await api.call('POST', '/api/v2/lead/add', { body: { campaign_id: id, leads } })

  const now = api.ctx.now()
  api.ctx.clock.set(new Date('2030-01-07T10:00:00Z'))
  expect(await reason()).toBeNull()
  api.ctx.clock.set(new Date('2030-01-07T17:00:00Z'))
  expect(await reason()).toBe('outside_schedule')
  api.ctx.clock.set(now)

  await setMailboxStatus('error')
  expect(await reason()).toBe('mailboxes_unhealthy')
  await removeMailbox(api.ctx, api.workspaceId, (await mailboxOf()).id, operator)
  expect(await reason()).toBe('no_mailbox')
  await setPlan(api.ctx, api.workspaceId, { api: false })
  expect(await reason()).toBe('plan_required')
  await setPlan(api.ctx, api.workspaceId, { api: true })
})

const mailboxOf = async () => {
  const { email_list } = await read()
  return api.ctx.db
    .selectFrom('mailboxes')
    .select('id')
    .where('workspace_id', '=', api.workspaceId)
    .where('address', '=', email_list[0])
    .executeTakeFirstOrThrow()
}

const setMailboxStatus = async (status: string) => {
  const mailbox = await mailboxOf()
  await api.ctx.db
    .updateTable('mailboxes')
    .set({ status })
    .where('workspace_id', '=', api.workspaceId)
    .where('id', '=', mailbox.id)
    .execute()
}
