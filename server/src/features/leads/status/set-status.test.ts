import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../../test/app.ts'
import { createReadyCampaign } from '../../../../test/campaigns.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { operator } from '../../audit/index.ts'
import { archiveLabel, createLabel, type Label } from '../../labels/index.ts'
import { findSuppressed, removeSuppression, suppress } from '../../suppression/index.ts'
import { readFilter } from '../lists/filter.ts'
import { listLeads } from '../lists/list-leads.ts'
import type { Lead } from '../schema.ts'

let api: TestApi
let serial = 0
let labels: Record<'none' | 'pause' | 'stop', Label>

const label = (name: string, effect: Label['effect'] = 'none') =>
  createLabel(api.ctx, api.workspaceId, { name, effect }, operator)

beforeAll(async () => {
  api = await testApi()
  labels = {
    none: await label('Just a note'),
    pause: await label('Call back', 'pause'),
    stop: await label('Reseller', 'stop'),
  }
})
afterAll(() => api[Symbol.asyncDispose]())

type State = Partial<
  Pick<Lead, 'status' | 'sending_state' | 'stop_reason' | 'current_step' | 'email_open_count'>
>

const createCampaign = async () =>
  (await api.call('POST', '/api/v2/campaigns', { body: { name: `c${serial++}` } })).body
    .id as string

/** A lead of an address of its own, in this state, in each of the campaigns. */
async function createLead(state: State, ...campaignIds: string[]) {
  const email = `Lead${serial++}@status.example`
  const [campaignId = await createCampaign()] = campaignIds
  for (const campaign_id of [campaignId, ...campaignIds.slice(1)]) {
    await api.call('POST', '/api/v2/lead/add', { body: { campaign_id, leads: [{ email }] } })
  }
  await api.ctx.db
    .updateTable('leads')
    .set(isDone(state.sending_state) ? { ...state, timestamp_next_send: null } : state)
    .where('workspace_id', '=', api.workspaceId)
    .where('email', '=', email)
    .execute()
  return { campaign_id: campaignId, email }
}

/** The first step has no delay; who is not sent to has no next mail. */
const withNext = (lead: Lead): Lead => ({
  ...lead,
  timestamp_next_send:
    lead.sending_state === 'pending' || lead.sending_state === 'active'
      ? lead.timestamp_created
      : null,
})

const isDone = (state: State['sending_state']) => state === 'finished' || state === 'stopped'

const setStatus = (
  lead: { campaign_id: string; email: string },
  new_status: string,
  options: { key?: string; headers?: Record<string, string> } = {},
) => api.call('POST', '/api/v2/lead/update/status', { body: { ...lead, new_status }, ...options })

const getLead = async (lead: { campaign_id: string; email: string }): Promise<Lead> =>
  (await api.call('GET', `/api/v2/lead/get?${new URLSearchParams(lead)}`)).body

const eventsOf = async (email: string) => {
  const rows = await api.ctx.db
    .selectFrom('events')
    .select(['type', 'campaign_id', 'lead_email', 'body'])
    .where('workspace_id', '=', api.workspaceId)
    .where('lead_email', '=', email)
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ ...row, body: JSON.parse(row.body) }))
}

const countsOf = async (campaignId: string) =>
  (await api.call('GET', `/api/v2/campaigns/${campaignId}`)).body.lead_counts

const pending: State = { sending_state: 'pending' }
const active: State = { sending_state: 'active', status: 'contacted', current_step: 1 }
const paused: State = { sending_state: 'paused', status: 'contacted', current_step: 1 }
const finished: State = { sending_state: 'finished', status: 'opened', current_step: 3 }
const replied: State = { sending_state: 'stopped', stop_reason: 'replied', status: 'replied' }
const bounced: State = { sending_state: 'stopped', stop_reason: 'bounced', status: 'bounced' }
const blocked: State = { sending_state: 'stopped', stop_reason: 'blocked' }

const stopped: State = { sending_state: 'stopped', stop_reason: 'manual' }
const isPaused: State = { sending_state: 'paused', stop_reason: null }
const done: State = { sending_state: 'finished', stop_reason: null }
const gone: State = { sending_state: 'stopped', stop_reason: 'unsubscribed' }
const same: State = {}

describe('every status does to the lead what the table says, and tells it in one event', () => {
  const outcomes = [
    'interested',
    'meeting_booked',
    'meeting_completed',
    'closed',
    'not_interested',
    'lost',
    'wrong_person',
    'no_show',
  ]
  test.each<[string, State, State, string | null]>([
    ...outcomes.flatMap((status): [string, State, State, string][] => [
      [status, pending, { status, ...stopped }, `lead.${status}`],
      [status, active, { status, ...stopped }, `lead.${status}`],
      [status, paused, { status, ...stopped }, `lead.${status}`],
      [status, finished, { status }, `lead.${status}`],
      [status, replied, { status }, `lead.${status}`],
      [status, bounced, { status }, `lead.${status}`],
    ]),
    ['neutral', pending, { status: 'neutral' }, 'lead.neutral'],
    ['neutral', active, { status: 'neutral' }, 'lead.neutral'],
    ['none', { ...active, status: 'lost' }, { status: 'contacted' }, null],
    ['none', { ...active, status: 'lost', email_open_count: 1 }, { status: 'opened' }, null],
    ['none', { ...bounced, status: 'lost' }, { status: 'bounced' }, null],
    ['out_of_office', pending, { status: 'out_of_office', ...isPaused }, 'lead.out_of_office'],
    ['out_of_office', active, { status: 'out_of_office', ...isPaused }, 'lead.out_of_office'],
    ['out_of_office', replied, { status: 'out_of_office' }, 'lead.out_of_office'],
    ['completed', pending, { status: 'completed', ...done }, 'lead.completed'],
    ['completed', active, { status: 'completed', ...done }, 'lead.completed'],
    ['completed', paused, { status: 'completed', ...done }, 'lead.completed'],
    ['completed', bounced, { status: 'completed' }, 'lead.completed'],
    ['unsubscribed', pending, { status: 'unsubscribed', ...gone }, 'lead.unsubscribed'],
    ['unsubscribed', active, { status: 'unsubscribed', ...gone }, 'lead.unsubscribed'],
    ['unsubscribed', paused, { status: 'unsubscribed', ...gone }, 'lead.unsubscribed'],
    ['unsubscribed', finished, { status: 'unsubscribed', ...gone }, 'lead.unsubscribed'],
    ['unsubscribed', replied, { status: 'unsubscribed', ...gone }, 'lead.unsubscribed'],
    ['unsubscribed', bounced, { status: 'unsubscribed' }, 'lead.unsubscribed'],
    ['unsubscribed', blocked, { status: 'unsubscribed' }, 'lead.unsubscribed'],
    ['paused', pending, isPaused, null],
    ['paused', active, isPaused, null],
    ['paused', paused, same, null],
    ['active', pending, same, null],
    ['active', active, same, null],
    ['active', paused, { sending_state: 'active' }, null],
    ['active', { sending_state: 'paused' }, { sending_state: 'pending' }, null],
    ['active', replied, { sending_state: 'pending', stop_reason: null }, null],
    [
      'active',
      { ...stopped, status: 'interested', current_step: 2 },
      { sending_state: 'active', stop_reason: null },
      null,
    ],
  ])('%s from %j', async (newStatus, from, changes, event) => {
    const lead = await createLead(from)
    const before = await getLead(lead)
    api.ctx.clock.advance(1000)
    const answer = await setStatus(lead, newStatus)
    const differs = Object.keys(changes).length > 0
    const expected = {
      ...withNext({ ...before, ...changes }),
      ...(differs ? { timestamp_updated: api.ctx.now().toISOString() } : {}),
    }
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: expected })
    expect(await getLead(lead)).toEqual(expected)
    const events = await eventsOf(lead.email)
    expect(events.map(({ type }) => type)).toEqual(event ? [event] : [])
    for (const { body } of events) {
      expect(body).toMatchObject({
        campaign_id: lead.campaign_id,
        lead_email: lead.email,
        custom_interest_value: null,
        data: { lead: expected, previous_status: before.status },
      })
    }

    const again = await setStatus(lead, newStatus)
    expect({ status: again.status, body: again.body }).toEqual({ status: 200, body: expected })
    expect(await eventsOf(lead.email)).toHaveLength(events.length)
  })
})

describe('a custom label', () => {
  test.each<[keyof typeof labels, State, State]>([
    ['none', active, {}],
    ['pause', active, isPaused],
    ['pause', replied, {}],
    ['stop', pending, stopped],
    ['stop', paused, stopped],
    ['stop', bounced, {}],
  ])('with the effect %s on %j', async (effect, from, changes) => {
    const { id, value, name } = labels[effect]
    const lead = await createLead(from)
    const before = await getLead(lead)
    const { body } = await setStatus(lead, name)
    expect(body).toMatchObject({ ...withNext({ ...before, ...changes }), status: value })
    expect(await eventsOf(lead.email)).toMatchObject([
      {
        type: `lead.label.${id}`,
        body: {
          type: `lead.label.${id}`,
          custom_interest_value: value,
          data: { lead: { status: value }, previous_status: before.status },
        },
      },
    ])
    for (const spelling of [id, value, `lead.label.${id}`, name.toUpperCase()]) {
      expect((await setStatus(lead, spelling)).body).toEqual(body)
    }
    expect(await eventsOf(lead.email)).toHaveLength(1)
  })

  test('that a lead has can be set on it again without an event once it is archived', async () => {
    const { id, value, name } = await label('Gone one')
    const [lead, other] = [await createLead(active), await createLead(active)]
    const { body } = await setStatus(lead, id)
    await archiveLabel(api.ctx, api.workspaceId, id, operator)
    for (const spelling of [id, value, `lead.label.${id}`, name.toUpperCase()]) {
      expect(await setStatus(lead, spelling)).toMatchObject({ status: 200, body })
      expect((await setStatus(other, spelling)).status).toBe(400)
    }
    expect(await eventsOf(lead.email)).toHaveLength(1)
  })

  test('that is archived or of another workspace cannot be set', async () => {
    const archived = await label('Old one')
    await archiveLabel(api.ctx, api.workspaceId, archived.id, operator)
    const stranger = await api.createStranger()
    const foreign = await createLabel(api.ctx, stranger.workspaceId, { name: 'Theirs' }, operator)
    const lead = await createLead(active)
    const toldOf = async ({ id }: Label) => {
      const { status, body } = await setStatus(lead, id)
      expect(status).toBe(400)
      return body.message
    }
    expect(await toldOf(archived)).toMatch(
      /^new_status names a label that was archived; it must be/,
    )
    expect(await toldOf(foreign)).toMatch(/^new_status must be one of/)
  })
})

test('a paused lead has no next mail, in lists as well', async () => {
  const lead = await createLead(active)
  const { timestamp_next_send } = await getLead(lead)
  expect(timestamp_next_send).not.toBeNull()
  await setStatus(lead, 'paused')
  expect(await getLead(lead)).toMatchObject({ timestamp_next_send: null })
  const filter = readFilter({ campaign_id: lead.campaign_id })
  const page = { limit: 1, startingAfter: undefined }
  const listed = async () => (await listLeads(api.ctx, api.workspaceId, filter, page)).items[0]
  expect(await listed()).toMatchObject({ timestamp_next_send: null })
})

test.each(['Meeting Booked', 'MEETING-BOOKED', ' lead.meeting_booked ', 'meetingBooked'])(
  '%s is read as meeting_booked',
  async (spelling) => {
    expect((await setStatus(await createLead(active), spelling)).body.status).toBe('meeting_booked')
  },
)

test('an unknown status is refused with everything that would be accepted', async () => {
  const { status, body } = await setStatus(await createLead(active), 'contacted')
  expect({ status, code: body.code, path: body.details[0].path }).toEqual({
    status: 400,
    code: 'invalid_field',
    path: '/new_status',
  })
  for (const accepted of ['interested', 'out_of_office', 'active', labels.stop.value]) {
    expect(body.message).toContain(accepted)
  }
})

describe('what may not be is a 409 and changes nothing', () => {
  test.each<[string, State]>([
    ['paused', finished],
    ['paused', replied],
    ['active', finished],
    ['active', bounced],
    ['active', blocked],
    ['active', { ...gone, status: 'interested' }],
  ])('%s from %j', async (newStatus, from) => {
    const lead = await createLead(from)
    const before = await getLead(lead)
    const { status, body } = await setStatus(lead, newStatus)
    expect(status).toBe(409)
    expect(body).toMatchObject({ code: 'invalid_transition', details: [{ path: '/new_status' }] })
    expect(await getLead(lead)).toEqual(before)
    expect(await eventsOf(lead.email)).toEqual([])
  })

  test('active, of a lead whose domain was blocked', async () => {
    const lead = await createLead(paused)
    const email = lead.email.replace('@status', '@blocked')
    const campaign_id = await createCampaign()
    await api.call('POST', '/api/v2/lead/add', { body: { campaign_id, leads: [{ email }] } })
    await setStatus({ campaign_id, email }, 'paused')
    await transaction(api.ctx, (tx) =>
      suppress(tx, api.workspaceId, [
        { kind: 'domain', value: 'blocked.example', reason: 'blocked', campaignId: null },
      ]),
    )
    expect((await setStatus({ campaign_id, email }, 'active')).status).toBe(409)
    expect((await setStatus(lead, 'active')).status).toBe(200)
  })
})

describe('unsubscribed', () => {
  test('holds for the address in the whole workspace, with one event for each lead', async () => {
    const campaignIds = [await createCampaign(), await createCampaign(), await createCampaign()]
    const lead = await createLead(active, ...campaignIds)
    const bystander = await createLead(active, ...campaignIds)
    const { body } = await setStatus(lead, 'Unsubscribed')
    expect(body).toMatchObject({ status: 'unsubscribed', ...gone })
    for (const campaign_id of campaignIds) {
      expect(await getLead({ ...lead, campaign_id })).toMatchObject(gone)
      expect(await getLead({ ...bystander, campaign_id })).toMatchObject(active)
      expect(await countsOf(campaign_id)).toMatchObject({ total: 2, active: 1, unsubscribed: 1 })
    }
    const events = await eventsOf(lead.email)
    expect(events.map(({ type, campaign_id }) => ({ type, campaign_id }))).toEqual(
      campaignIds.map((campaign_id) => ({ type: 'lead.unsubscribed', campaign_id })),
    )
    const added = await api.call('POST', '/api/v2/lead/add', {
      body: { campaign_id: await createCampaign(), leads: [{ email: lead.email.toUpperCase() }] },
    })
    expect(added.body).toMatchObject({
      leads_uploaded: 0,
      in_blocklist: 1,
      skipped_leads: [{ index: 0, reason: 'unsubscribed' }],
    })
  })

  test('through one campaign leaves nothing to do in another', async () => {
    const campaignIds = [await createCampaign(), await createCampaign()]
    const lead = await createLead(pending, ...campaignIds)
    await setStatus(lead, 'unsubscribed')
    const other = { ...lead, campaign_id: String(campaignIds[1]) }
    expect((await setStatus(other, 'unsubscribed')).status).toBe(200)
    expect((await setStatus(other, 'active')).status).toBe(409)
    expect(await eventsOf(lead.email)).toHaveLength(2)
  })

  test('of an address that is blocked already is kept as an unsubscribe', async () => {
    const lead = await createLead(blocked)
    const address = lead.email.toLowerCase()
    await transaction(api.ctx, (tx) =>
      suppress(tx, api.workspaceId, [
        { kind: 'address', value: address, reason: 'blocked', campaignId: null },
      ]),
    )
    await setStatus(lead, 'unsubscribed')
    const found = await findSuppressed(api.ctx.db, api.workspaceId, [address])
    expect(found.get(address)).toBe('unsubscribed')
  })

  test('of somebody whose suppression was lifted suppresses again, without a second event', async () => {
    const lead = await createLead(active)
    const address = lead.email.toLowerCase()
    await setStatus(lead, 'unsubscribed')
    await removeSuppression(api.ctx, api.workspaceId, address, { force: true }, operator)
    await setStatus(lead, 'unsubscribed')
    const found = await findSuppressed(api.ctx.db, api.workspaceId, [address])
    expect(found.get(address)).toBe('unsubscribed')
    expect(await eventsOf(lead.email)).toHaveLength(1)
  })

  test('of somebody who is not in the campaign suppresses nobody', async () => {
    const lead = await createLead(active)
    const elsewhere = { ...lead, campaign_id: await createCampaign() }
    expect((await setStatus(elsewhere, 'unsubscribed')).status).toBe(404)
    expect(await getLead(lead)).toMatchObject(active)
    const found = await findSuppressed(api.ctx.db, api.workspaceId, [lead.email.toLowerCase()])
    expect(found.size).toBe(0)
  })

  test('a label set afterwards changes what the lead means and lets nothing be sent', async () => {
    const lead = await createLead(active)
    await setStatus(lead, 'unsubscribed')
    const { body } = await setStatus(lead, 'interested')
    expect(body).toMatchObject({ status: 'interested', ...gone })
    expect((await setStatus(lead, 'none')).body).toMatchObject({ status: 'unsubscribed', ...gone })
  })
})

describe('the campaign', () => {
  test('counts its leads by what became of them', async () => {
    const campaign_id = await createCampaign()
    const set = async (...statuses: string[]) => {
      const lead = await createLead(pending, campaign_id)
      for (const status of statuses) await setStatus(lead, status)
    }
    await set('paused')
    await set('interested')
    await set('interested', 'active')
    await set('completed')
    await set('completed', 'unsubscribed')
    await set('unsubscribed', 'interested')
    expect(await countsOf(campaign_id)).toEqual({
      total: 6,
      active: 2,
      completed: 1,
      replied: 0,
      bounced: 0,
      unsubscribed: 2,
    })
  })

  test('is completed, with an event, when its last lead is done', async () => {
    const campaign = await createReadyCampaign(api)
    const leads = [await createLead(pending, campaign.id), await createLead(pending, campaign.id)]
    const url = `/api/v2/campaigns/${campaign.id}`
    await api.call('PATCH', url, { body: { status: 'active' } })
    for (const lead of leads) {
      expect((await api.call('GET', url)).body.status).toBe('active')
      await setStatus(lead, 'interested')
    }
    expect((await api.call('GET', url)).body.status).toBe('completed')
    const completed = await api.ctx.db
      .selectFrom('events')
      .select('type')
      .where('workspace_id', '=', api.workspaceId)
      .where('campaign_id', '=', campaign.id)
      .where('type', '=', 'campaign.completed')
      .execute()
    expect(completed).toHaveLength(1)
  })
})

describe('who is not there is a 404', () => {
  test('unknown, in another campaign, in another workspace, or no address at all', async () => {
    const lead = await createLead(active)
    const stranger = await api.createStranger()
    const answers = [
      await setStatus({ ...lead, email: 'nobody@status.example' }, 'lost'),
      await setStatus({ ...lead, campaign_id: await createCampaign() }, 'lost'),
      await setStatus(lead, 'lost', { key: stranger.key }),
      await setStatus(lead, 'unsubscribed', { key: stranger.key }),
      await setStatus({ ...lead, email: 'nobody' }, 'lost'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
    expect(await getLead(lead)).toMatchObject(active)
  })
})

test('a repeated request with an Idempotency-Key changes the lead once', async () => {
  const lead = await createLead(active)
  const headers = { 'idempotency-key': 'status-once' }
  const first = await setStatus(lead, 'lost', { headers })
  await setStatus(lead, 'interested')
  const second = await setStatus(lead, 'lost', { headers })
  expect(second.body).toEqual(first.body)
  expect((await getLead(lead)).status).toBe('interested')
})

test('a change whose event cannot be written is not made', async () => {
  const lead = await createLead(active)
  const before = await getLead(lead)
  // Far beyond the partitions of the events. Last in this file: ids never go back in time.
  api.ctx.clock.advance(3650 * 86_400_000)
  expect((await setStatus(lead, 'interested')).status).toBe(500)
  expect((await setStatus(lead, 'unsubscribed')).status).toBe(500)
  expect(await getLead(lead)).toEqual(before)
  const found = await findSuppressed(api.ctx.db, api.workspaceId, [lead.email.toLowerCase()])
  expect(found.size).toBe(0)
})
