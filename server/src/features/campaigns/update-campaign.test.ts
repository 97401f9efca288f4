import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { createMailbox, createReadyCampaign, oneStep } from '../../../test/campaigns.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { operator } from '../audit/index.ts'
import { removeMailbox } from '../mailboxes/index.ts'
import { pauseCampaign } from './service-transitions.ts'

let api: TestApi
let id: string

beforeAll(async () => {
  api = await testApi()
})

afterAll(() => api[Symbol.asyncDispose]())

beforeEach(async () => {
  id = (await createReadyCampaign(api, { daily_limit: 10 })).id
  api.ctx.clock.advance(1000)
})

const patch = (body: unknown) => api.call('PATCH', `/api/v2/campaigns/${id}`, { body })
const read = async () => (await api.call('GET', `/api/v2/campaigns/${id}`)).body

test('a PATCH of {} changes nothing, not even the time', async () => {
  const before = await read()
  expect(await patch({})).toMatchObject({ status: 200, body: before })
  expect(await read()).toEqual(before)
})

test('only the fields given change, and the time of the change', async () => {
  const before = await read()
  const { status, body } = await patch({ name: ' renamed ', open_tracking: true })
  expect(status).toBe(200)
  expect(body).toEqual({
    ...before,
    name: 'renamed',
    open_tracking: true,
    timestamp_updated: api.ctx.now().toISOString(),
  })
  expect(await read()).toEqual(body)
})

test('setting what is there already is no change', async () => {
  const before = await read()
  const { name, campaign_schedule, sequences, email_list, stop_on_reply } = before
  const same = { name, campaign_schedule, sequences, email_list, stop_on_reply, status: 'draft' }
  expect((await patch(same)).body).toEqual(before)
})

test('a whole record sent back is accepted and changes nothing', async () => {
  const before = await read()
  expect(await patch(before)).toMatchObject({ status: 200, body: before })
})

test('a record that was read before other changes can be sent back', async () => {
  const before = await read()
  await patch({ name: 'meanwhile' })
  const { status, body } = await patch({ ...before, daily_limit: 20 })
  expect(status).toBe(200)
  expect(body).toMatchObject({ name: before.name, daily_limit: 20 })
})

test.each([
  ['id', '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d'],
  ['workspace_id', '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d'],
  ['timestamp_created', '2020-01-01T00:00:00.000Z'],
  ['timestamp_updated', '2100-01-01T00:00:00.000Z'],
  ['status_reason', 'because'],
  ['lead_counts', { total: 5 }],
  ['sending_status', { state: 'sending', reason: 'draft' }],
])('a changed %s is refused', async (field, value) => {
  const before = await read()
  const answer = await patch({ name: 'other', [field]: value })
  expect(answer).toMatchObject({
    status: 400,
    body: { code: 'unknown_field', details: [{ path: `/${field}` }] },
  })
  expect(await read()).toEqual(before)
})

test('a record read while bounce protection paused the campaign is accepted, one read before does not start it', async () => {
  const { body: active } = await patch({ status: 'active' })
  await transaction(api.ctx, (tx) => pauseCampaign(tx, api.workspaceId, id, 'bounce_protection'))
  const paused = await read()
  expect(paused.status_reason).toBe('bounce_protection')
  expect(await patch({ ...active, name: 'other' })).toMatchObject({
    status: 409,
    body: { code: 'invalid_transition', details: [{ path: '/status' }] },
  })
  expect((await patch({ status: 'active' })).body).toMatchObject({ status_reason: null })
  expect(await patch({ ...paused, status: 'active', name: 'other' })).toMatchObject({
    status: 200,
    body: { name: 'other', status: 'active' },
  })
})

test('a record read before a person paused the campaign does not start it, and one read after does', async () => {
  const { body: active } = await patch({ status: 'active' })
  const { body: paused } = await patch({ status: 'paused' })
  expect(await patch({ ...active, name: 'other' })).toMatchObject({
    status: 409,
    body: { code: 'invalid_transition', details: [{ path: '/status' }] },
  })
  expect(await read()).toEqual(paused)
  expect(await patch({ ...paused, status: 'active', name: 'other' })).toMatchObject({
    status: 200,
    body: { name: 'other', status: 'active' },
  })
  await patch({ status: 'paused' })
  expect(await patch({ status: 'active' })).toMatchObject({ status: 200 })
  expect(await patch({ ...active, name: 'again' })).toMatchObject({ status: 200 })
})

test('a record read while only paused leads were left of an active campaign does not undo a pause', async () => {
  await patch({ status: 'active' })
  const leads = [{ email: 'left@update.test' }]
  await api.call('POST', '/api/v2/lead/add', { body: { campaign_id: id, leads } })
  const { peek } = api.ctx.database
  const left = peek.updateTable('leads').set({ sending_state: 'paused' })
  await left.where('campaign_id', '=', id).execute()
  const active = await read()
  expect(active).toMatchObject({ status: 'active', sending_status: { reason: 'paused' } })
  const { body: paused } = await patch({ status: 'paused' })
  expect(await patch({ ...active, name: 'other' })).toMatchObject({
    status: 409,
    body: { code: 'invalid_transition', details: [{ path: '/status' }] },
  })
  expect(await read()).toEqual(paused)
  expect(await patch({ ...paused, status: 'active' })).toMatchObject({ status: 200 })
})

test.each(['daily_limit', 'daily_max_leads', 'expire_after_days'])(
  'null clears %s',
  async (field) => {
    await patch({ [field]: 3 })
    expect((await patch({ [field]: null })).body[field]).toBeNull()
  },
)

test('lists are replaced, not merged', async () => {
  await patch({ cc_list: ['a@example.com', 'b@example.com'] })
  expect((await patch({ cc_list: ['c@example.com'] })).body.cc_list).toEqual(['c@example.com'])
  expect((await patch({ cc_list: [] })).body.cc_list).toEqual([])
  expect((await patch({ email_list: [] })).body.email_list).toEqual([])
  expect((await patch({ sequences: [] })).body.sequences).toEqual([])
})

test('a schedule is replaced whole, also by its other name', async () => {
  const schedules = [
    {
      name: 'Late',
      timing: { from: '20:00', to: '24:00' },
      days: { 5: true },
      timezone: 'Asia/Tokyo',
    },
  ]
  await patch({ campaign_schedule: { start_date: '2030-01-01', schedules } })
  const { body } = await patch({ schedule: { schedules } })
  expect(body.campaign_schedule).toMatchObject({ start_date: null, end_date: null, schedules })
})

test('steps and variants keep their ids when they are sent with them', async () => {
  const [{ steps }] = (await read()).sequences
  const [first] = steps
  const { body } = await patch({
    sequences: [
      {
        steps: [
          { variants: [{ subject: 'New', body: 'new' }] },
          { ...first, delay: 2, variants: [...first.variants, { subject: 'B', body: 'b' }] },
        ],
      },
    ],
  })
  const [added, kept] = body.sequences[0].steps
  expect(kept.id).toBe(first.id)
  expect(kept.variants[0]).toEqual(first.variants[0])
  expect(new Set([added.id, kept.id, added.variants[0].id, kept.variants[1].id]).size).toBe(4)
})

test('a mailbox that was removed stays in a list sent back, but is not taken anew', async () => {
  const { email_list } = await read()
  const mailbox = await createMailbox(api.ctx, api.workspaceId)
  await patch({ email_list: [...email_list, mailbox.address] })
  await removeMailbox(api.ctx, api.workspaceId, mailbox.id, operator)
  expect((await patch({ ...(await read()), daily_limit: 7 })).status).toBe(200)
  await patch({ email_list })
  const answer = await patch({ email_list: [...email_list, mailbox.address] })
  expect(answer).toMatchObject({ status: 400, body: { details: [{ path: '/email_list/1' }] } })
})

test('the body is judged before the campaign is looked for, and the campaign before its state', async () => {
  const unknown = `/api/v2/campaigns/${api.ctx.newId()}`
  const bad = await api.call('PATCH', unknown, { body: { cc_list: ['x'] } })
  expect(bad.status).toBe(400)
  const absent = await api.call('PATCH', unknown, { body: { status: 'paused' } })
  expect(absent.status).toBe(404)
})

test('concurrent changes of different fields are all kept', async () => {
  const answers = await Promise.all([
    patch({ name: 'concurrent' }),
    patch({ daily_limit: 99 }),
    patch({ cc_list: ['a@example.com'] }),
    patch({ sequences: oneStep }),
  ])
  expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200])
  expect(await read()).toMatchObject({
    name: 'concurrent',
    daily_limit: 99,
    cc_list: ['a@example.com'],
  })
})
