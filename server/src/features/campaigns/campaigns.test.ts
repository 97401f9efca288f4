import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { createMailbox, oneStep } from '../../../test/campaigns.ts'

let api: TestApi

beforeAll(async () => {
  api = await testApi()
})

afterAll(() => api[Symbol.asyncDispose]())

const path = '/api/v2/campaigns'
const create = (body: object) => api.call('POST', path, { body })
const read = (id: string) => api.call('GET', `${path}/${id}`)

test('a campaign made of a name alone is a draft with every default', async () => {
  const { status, body } = await create({ name: '  Founders ' })
  expect(status).toBe(201)
  expect(body).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: 'Founders',
    status: 'draft',
    status_reason: null,
    campaign_schedule: {
      start_date: null,
      end_date: null,
      schedules: [
        {
          name: 'Schedule',
          timing: { from: '09:00', to: '17:00' },
          days: { 0: false, 1: true, 2: true, 3: true, 4: true, 5: true, 6: false },
          timezone: 'UTC',
        },
      ],
    },
    sequences: [],
    email_list: [],
    daily_limit: null,
    daily_max_leads: null,
    email_gap: 5,
    random_wait_max: 5,
    stop_on_reply: true,
    stop_on_auto_reply: false,
    stop_for_company: false,
    open_tracking: false,
    link_tracking: false,
    text_only: false,
    first_email_text_only: false,
    insert_unsubscribe_header: true,
    prioritize_new_leads: false,
    cc_list: [],
    bcc_list: [],
    expire_after_days: null,
    lead_counts: { total: 0, active: 0, completed: 0, replied: 0, bounced: 0, unsubscribed: 0 },
    sending_status: {
      ...{ state: 'waiting', reason: 'draft' },
      ...{ leads_waiting_for_mailbox: 0, leads_held_back: 0, held_back_for: null },
      next_send_at: null,
    },
    workspace_id: api.workspaceId,
    timestamp_created: api.ctx.now().toISOString(),
    timestamp_updated: api.ctx.now().toISOString(),
  })
  expect((await read(body.id)).body).toEqual(body)
})

test('however many leads one fault holds back, no more than a thousand of them are counted', async () => {
  const { body } = await create({ name: 'Held back' })
  for (const part of ['a', 'b']) {
    const leads = Array.from({ length: 600 }, (_, n) => ({ email: `${part}${n}@held.example` }))
    await api.call('POST', '/api/v2/lead/add', { body: { campaign_id: body.id, leads } })
  }
  const { peek } = api.ctx.database
  await peek.updateTable('campaigns').set({ status: 'paused' }).where('id', '=', body.id).execute()
  await peek
    .updateTable('leads')
    .set({ sending_state: 'paused', skip_reason: 'template_failed: The lead has no city.' })
    .where('campaign_id', '=', body.id)
    .execute()
  const { sending_status } = (await read(body.id)).body
  expect(sending_status).toMatchObject({
    ...{ leads_held_back: 1000, held_back_for: 'The lead has no city.' },
  })
})

test('a new campaign keeps every setting as it was given', async () => {
  const mailbox = await createMailbox(api.ctx, api.workspaceId, 'Anna@example.com')
  const settings = {
    name: 'Größe "zählt"',
    campaign_schedule: {
      start_date: '2030-01-31',
      end_date: '2030-02-28',
      schedules: [
        {
          name: 'Mornings',
          timing: { from: '00:00', to: '24:00' },
          days: { 0: true, 1: false, 2: false, 3: false, 4: false, 5: false, 6: false },
          timezone: 'america/Buenos_Aires',
        },
      ],
    },
    email_list: [mailbox.address],
    daily_limit: 1,
    daily_max_leads: 0,
    email_gap: 0,
    random_wait_max: 1440,
    stop_on_reply: false,
    stop_on_auto_reply: true,
    stop_for_company: true,
    open_tracking: true,
    link_tracking: true,
    text_only: true,
    first_email_text_only: true,
    insert_unsubscribe_header: false,
    prioritize_new_leads: true,
    cc_list: ['Boss@Example.com'],
    bcc_list: ['crm@example.com', 'archive@example.com'],
    expire_after_days: 30,
  }
  const { status, body } = await create(settings)
  expect(status).toBe(201)
  expect(body).toMatchObject(settings)
})

test('steps and variants get ids and defaults', async () => {
  const { body } = await create({
    name: 'steps',
    sequences: [
      {
        steps: [
          {
            variants: [
              { subject: 'One', body: 'a' },
              { subject: 'Two', body: 'b' },
            ],
          },
          { delay: 3, delay_unit: 'hours', variants: [{ body: 'c', v_disabled: true }] },
        ],
      },
    ],
  })
  const id = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
  expect(body.sequences).toEqual([
    {
      steps: [
        {
          id,
          type: 'email',
          delay: 0,
          delay_unit: 'days',
          variants: [
            { id, subject: 'One', body: 'a', v_disabled: false },
            { id, subject: 'Two', body: 'b', v_disabled: false },
          ],
        },
        {
          id,
          type: 'email',
          delay: 3,
          delay_unit: 'hours',
          variants: [{ id, subject: '', body: 'c', v_disabled: true }],
        },
      ],
    },
  ])
})

test('a copy of a sequence gets ids of its own', async () => {
  const { sequences } = (await create({ name: 'original', sequences: oneStep })).body
  const copy = await create({ name: 'copy', sequences })
  expect(copy.status).toBe(201)
  const [step] = sequences[0].steps
  const [copied] = copy.body.sequences[0].steps
  expect(copied.id).not.toBe(step.id)
  expect(copied.variants[0].id).not.toBe(step.variants[0].id)
  expect(copied.variants[0].body).toBe(step.variants[0].body)
})

test('schedule is another name for campaign_schedule', async () => {
  const schedule = {
    schedules: [{ timing: { from: '08:00', to: '09:00' }, days: { 1: true }, timezone: 'UTC' }],
  }
  const alone = await create({ name: 'alias', schedule })
  expect(alone.body.campaign_schedule).toMatchObject(schedule)
  expect(alone.body).not.toHaveProperty('schedule')
  const both = await create({ name: 'both', schedule, campaign_schedule: schedule })
  expect(both.status).toBe(201)
})

test('in a new campaign null equals omitted, also inside a schedule and a step', async () => {
  const { status, body } = await create({
    name: 'nulls',
    status: null,
    daily_limit: null,
    email_gap: null,
    stop_on_reply: null,
    email_list: null,
    schedule: null,
    campaign_schedule: {
      start_date: null,
      end_date: null,
      schedules: [
        {
          name: null,
          timing: { from: '08:00', to: '09:00' },
          days: { 1: true, 2: null },
          timezone: 'UTC',
        },
      ],
    },
    sequences: [
      {
        steps: [
          {
            id: null,
            type: null,
            delay: null,
            delay_unit: null,
            variants: [{ id: null, subject: 'Hello', body: 'x', v_disabled: null }],
          },
        ],
      },
    ],
  })
  expect(status).toBe(201)
  expect(body).toMatchObject({ email_gap: 5, stop_on_reply: true, email_list: [] })
  expect(body.campaign_schedule.schedules[0]).toMatchObject({
    name: 'Schedule',
    days: { 2: false },
  })
  expect(body.sequences[0].steps[0]).toMatchObject({ delay: 0, variants: [{ v_disabled: false }] })
})

test('email_list answers each mailbox once, as the mailbox spells it', async () => {
  await createMailbox(api.ctx, api.workspaceId, 'Sales@Bücher.example')
  const { body } = await create({
    name: 'spelling',
    email_list: [' sales@bücher.example ', 'SALES@xn--bcher-kva.example'],
  })
  expect(body.email_list).toEqual(['Sales@Bücher.example'])
})

test('email_list names every address that is no mailbox of the workspace', async () => {
  const stranger = await api.createStranger()
  const foreign = await createMailbox(api.ctx, stranger.workspaceId, 'foreign@example.com')
  const own = await createMailbox(api.ctx, api.workspaceId)
  const { status, body } = await create({
    name: 'unknown',
    email_list: [own.address, foreign.address, 'nobody@example.com', 'not an address'],
  })
  expect(status).toBe(400)
  expect(body.code).toBe('invalid_field')
  expect(body.message).toContain('foreign@example.com, nobody@example.com, not an address')
  expect(body.message).not.toContain(own.address)
  expect(body.details.map((detail: { path: string }) => detail.path)).toEqual([
    '/email_list/1',
    '/email_list/2',
    '/email_list/3',
  ])
})

test('a campaign that was refused is not there', async () => {
  const before = await api.call('GET', path)
  await create({ name: 'refused', email_list: ['nobody@example.com'] })
  expect((await api.call('GET', path)).body).toEqual(before.body)
})

test('a repeated creation with the same Idempotency-Key makes one campaign', async () => {
  const send = () =>
    api.call('POST', path, {
      body: { name: 'once', sequences: oneStep },
      headers: { 'idempotency-key': 'campaign-once' },
    })
  const first = await send()
  const second = await send()
  expect(first.status).toBe(201)
  expect(second.headers['idempotency-replayed']).toBe('true')
  expect(second.body).toEqual(first.body)
})

test.each(['not-a-uuid', '00000000-0000-0000-0000-000000000000', '1', '%00', "' or 1=1 --"])(
  'no campaign has the id %s',
  async (id) => {
    for (const method of ['GET', 'PATCH']) {
      const url = `${path}/${encodeURIComponent(id)}`
      const answer = await api.call(method, url, method === 'PATCH' ? { body: {} } : {})
      expect(answer.status).toBe(404)
      expect(answer.body.code).toBe('not_found')
    }
  },
)

test('an id is accepted in any case', async () => {
  const { body } = await create({ name: 'case' })
  expect((await read(body.id.toUpperCase())).body).toEqual(body)
})

test('another workspace sees, lists and changes no campaign of this one', async () => {
  const { body } = await create({ name: 'ours' })
  const { key } = await api.createStranger()
  const url = `${path}/${body.id}`
  expect((await api.call('GET', url, { key })).status).toBe(404)
  expect((await api.call('PATCH', url, { key, body: { name: 'theirs' } })).status).toBe(404)
  expect((await api.call('PATCH', url, { key, body: {} })).status).toBe(404)
  expect((await api.call('GET', path, { key })).body).toEqual({ items: [] })
  expect((await read(body.id)).body.name).toBe('ours')
})

test.each([
  ['GET', '', 'campaigns:read'],
  ['POST', '', 'campaigns:create'],
  ['GET', '/019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d', 'campaigns:read'],
  ['PATCH', '/019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d', 'campaigns:update'],
])('%s %s needs the scope %s and no other', async (method, suffix, scope) => {
  const options = method === 'GET' ? {} : { body: { name: 'x' } }
  const all = ['campaigns:read', 'campaigns:create', 'campaigns:update', 'leads:all']
  const without = await api.createKey(all.filter((held) => held !== scope))
  const refused = await api.call(method, path + suffix, { ...options, key: without })
  expect(refused).toMatchObject({ status: 403, body: { code: 'missing_scope' } })
  const alone = await api.createKey([scope])
  const allowed = await api.call(method, path + suffix, { ...options, key: alone })
  expect([200, 201, 404]).toContain(allowed.status)
})
