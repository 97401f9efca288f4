import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { operator } from '../audit/index.ts'
import { createLabel, type Label } from '../labels/index.ts'
import { mask } from './headers.ts'
import { disableDestination, findDestination, openDestination } from './index.ts'
import { lockWebhook } from './queries.ts'
import { secretBytes } from './signing-secret.ts'

const path = '/api/v2/webhooks'

let api: TestApi
let warm: Label
let cold: Label

beforeAll(async () => {
  api = await testApi()
  api.ctx.lookup = async () => ['203.0.113.7']
  warm = await createLabel(api.ctx, api.workspaceId, { name: 'Warm lead' }, operator)
  cold = await createLabel(api.ctx, api.workspaceId, { name: 'Cold lead' }, operator)
})
afterAll(() => api[Symbol.asyncDispose]())

interface Created {
  id: string
  signing_secret: string
  [field: string]: unknown
}

async function create(body: object = {}): Promise<Created> {
  const answer = await api.call('POST', path, {
    body: {
      target_hook_url: 'https://hooks.example.com/in',
      name: 'CRM',
      event_type: 'lead.interested',
      ...body,
    },
  })
  expect(answer.status).toBe(201)
  api.ctx.clock.advance(1000)
  return answer.body
}

const patch = (id: string, body: object) => api.call('PATCH', `${path}/${id}`, { body })
const read = async (id: string) => (await api.call('GET', `${path}/${id}`)).body

async function open(id: string) {
  const row = await findDestination(api.ctx.db, api.workspaceId, id)
  if (!row) throw new Error('no such destination')
  return openDestination(api.ctx, row)
}

test('only what is sent changes', async () => {
  const created = await create()
  const before = await read(created.id)
  const answer = await patch(created.id, { name: ' Sales ' })
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    ...before,
    name: 'Sales',
    timestamp_updated: api.ctx.now().toISOString(),
  })
  expect(await read(created.id)).toEqual(answer.body)
})

test('an empty change and a record sent back whole change nothing', async () => {
  const { id } = await create({ headers: { 'X-A': '1' } })
  await patch(id, { status: 'disabled' })
  api.ctx.clock.advance(1000)
  const before = await read(id)
  for (const body of [{}, before]) {
    const answer = await patch(id, body)
    expect([answer.status, answer.body]).toEqual([200, before])
  }
  expect((await open(id)).headers).toEqual({ 'X-A': '1' })
})

test('a record that has changed since it was read is sent back, by clients that write ids and times anew', async () => {
  const { id } = await create()
  const read1 = await read(id)
  api.ctx.clock.advance(1000)
  await patch(id, { status: 'disabled' })
  const read2 = await read(id)
  api.ctx.clock.advance(1000)
  await patch(id, { status: 'active' })
  for (const record of [read1, { ...read2, status: 'active' }]) {
    const body = {
      ...record,
      id: record.id.toUpperCase(),
      timestamp_created: record.timestamp_created.replace('Z', '+00:00'),
    }
    api.ctx.clock.advance(1000)
    expect((await patch(id, { ...body, name: 'Sales' })).status).toBe(200)
  }
})

test('a record that was read before the webhook was disabled does not resume it, its status alone does', async () => {
  const { id } = await create()
  const read1 = await read(id)
  api.ctx.clock.advance(1000)
  await transaction(api.ctx, (tx) => disableDestination(tx, api.workspaceId, id, 'gone'))
  const disabled = await read(id)
  const answer = await patch(id, { ...read1, name: 'Sales' })
  expect(answer.body).toMatchObject({
    statusCode: 409,
    code: 'invalid_transition',
    details: [{ path: '/status' }],
  })
  expect(await read(id)).toEqual(disabled)

  const resumed = await patch(id, { status: 'active' })
  expect(resumed.body).toMatchObject({ status: 'active', disabled_reason: null })
  await patch(id, { status: 'disabled' })
  expect((await patch(id, { ...(await read(id)), status: 'active' })).status).toBe(200)
})

test('a record that was read while the webhook was disabled does not pause it again, its status alone does', async () => {
  const { id } = await create()
  await transaction(api.ctx, (tx) => disableDestination(tx, api.workspaceId, id, 'failing'))
  const read1 = await read(id)
  api.ctx.clock.advance(1000)
  await patch(id, { status: 'active' })
  const active = await read(id)
  const { disabled_reason: _, ...withoutReason } = read1
  for (const record of [read1, withoutReason]) {
    const answer = await patch(id, { ...record, name: 'Sales' })
    expect(answer.body).toMatchObject({
      statusCode: 409,
      code: 'invalid_transition',
      details: [{ path: '/status' }],
    })
  }
  expect(await read(id)).toEqual(active)

  const paused = await patch(id, { ...active, status: 'disabled' })
  expect(paused.body).toMatchObject({ status: 'disabled', disabled_reason: 'manual' })
})

test.each([
  ['id', '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d'],
  ['timestamp_created', '2026-01-01T00:00:00.000Z'],
  ['timestamp_updated', '2026-01-01T00:00:00.000Z'],
  ['timestamp_disabled', '2026-01-01T00:00:00.000Z'],
  ['disabled_reason', 'gone'],
])('%s cannot be changed', async (field, value) => {
  const { id } = await create()
  const answer = await patch(id, { [field]: value })
  expect(answer.body).toMatchObject({
    statusCode: 400,
    code: 'unknown_field',
    details: [{ path: `/${field}` }],
  })
})

test.each([
  ['a required field set to null', { name: null }],
  ['a wrong status', { status: 'paused' }],
  ['an unknown field', { workspace: 'x' }],
  ['a target with a fragment', { target_hook_url: 'https://a.example.com/#b' }],
  ['an unknown event type', { event_type: 'lead.none' }],
  ['an unknown campaign', { campaign: '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d' }],
  [
    'an overlap of more than a day',
    { signing_secret: null, signing_secret_overlap_seconds: 86401 },
  ],
  ['a negative overlap', { signing_secret: null, signing_secret_overlap_seconds: -1 }],
  ['an overlap of nothing', { signing_secret_overlap_seconds: 60 }],
  ['a short secret', { signing_secret: 'whsec_c2hvcnQ=' }],
  ['an empty secret', { signing_secret: '' }],
])('%s is a 400 and changes nothing', async (_what, body) => {
  const { id } = await create()
  const before = await read(id)
  expect((await patch(id, { name: 'other', ...body })).status).toBe(400)
  expect(await read(id)).toEqual(before)
})

describe('a custom label is subscribed to by its type and its value', () => {
  const typeOf = (label: Label) => `lead.label.${label.id}`

  test('both are needed and must belong together', async () => {
    const { id } = await create()
    const wrong = [
      { event_type: typeOf(warm) },
      { event_type: typeOf(warm), custom_interest_value: cold.value },
      { custom_interest_value: warm.value },
    ]
    for (const body of wrong) {
      const answer = await patch(id, body)
      expect([answer.status, answer.body.details[0].path]).toEqual([400, '/custom_interest_value'])
    }
    const subscription = { event_type: typeOf(warm), custom_interest_value: warm.value }
    const answer = await patch(id, {
      ...subscription,
      event_type: typeOf(warm).toUpperCase().replace('LEAD.LABEL', 'lead.label'),
    })
    expect(answer.body).toMatchObject(subscription)
  })

  test('the value stays with the type and leaves with it', async () => {
    const { id } = await create({ event_type: typeOf(warm), custom_interest_value: warm.value })
    const kept = await patch(id, { event_type: typeOf(warm), name: 'Kept' })
    expect(kept.body).toMatchObject({ name: 'Kept', custom_interest_value: warm.value })
    expect((await patch(id, { custom_interest_value: null })).status).toBe(400)
    expect((await patch(id, { event_type: typeOf(cold) })).status).toBe(400)
    const changed = await patch(id, {
      event_type: typeOf(cold),
      custom_interest_value: cold.value,
    })
    expect(changed.body.custom_interest_value).toBe(cold.value)
    expect(
      (await patch(id, { event_type: 'email.sent', custom_interest_value: cold.value })).status,
    ).toBe(400)
    const standard = await patch(id, { event_type: 'email.sent' })
    expect(standard.body).toMatchObject({ event_type: 'email.sent', custom_interest_value: null })
  })

  test('a label of another workspace is unknown', async () => {
    const stranger = await api.createStranger()
    const { key } = stranger
    const answer = await api.call('POST', path, {
      key,
      body: {
        target_hook_url: 'https://hooks.example.com/in',
        name: 'CRM',
        event_type: typeOf(warm),
        custom_interest_value: warm.value,
      },
    })
    expect([answer.status, answer.body.details[0].path]).toEqual([400, '/event_type'])
    expect(JSON.stringify(answer.body)).not.toContain(warm.value)
  })
})

describe('headers are replaced as a whole', () => {
  test('but a masked value keeps the stored one', async () => {
    const { id } = await create({ headers: { Authorization: 'Bearer abc', 'X-Old': '1' } })
    const answer = await patch(id, { headers: { authorization: mask, 'X-New': '2' } })
    expect(answer.body.headers).toEqual({ authorization: mask, 'X-New': mask })
    expect((await open(id)).headers).toEqual({ authorization: 'Bearer abc', 'X-New': '2' })
  })

  test('and a masked value of an unknown name is a 400', async () => {
    const { id } = await create({ headers: { 'X-A': '1' } })
    const answer = await patch(id, { headers: { 'X-B': mask } })
    expect([answer.status, answer.body.details[0].path]).toEqual([400, '/headers'])
  })

  test.each([[null], [{}]])('and %o removes them', async (headers) => {
    const { id } = await create({ headers: { 'X-A': '1' } })
    expect((await patch(id, { headers })).body.headers).toEqual({})
    expect((await open(id)).headers).toEqual({})
  })
})

describe('the values of stored headers stay with the origin that they were given for', () => {
  const stored = { Authorization: 'Bearer abc' }
  const elsewhere = 'https://other.example.net/in'
  const createStored = () =>
    create({ target_hook_url: 'https://hooks.example.com/in', headers: stored })

  test.each([
    ['another host', elsewhere],
    ['another port', 'https://hooks.example.com:8443/in'],
    ['another scheme', 'http://hooks.example.com/in'],
    ['a host below it', 'https://hooks.example.com.other.net/in'],
  ])('a PATCH to %s without headers removes them, and the answer shows it', async (_what, url) => {
    const { id } = await createStored()
    const answer = await patch(id, { target_hook_url: url })
    expect([answer.status, answer.body.headers]).toEqual([200, {}])
    expect((await open(id)).headers).toEqual({})
  })

  test('a masked value sent along is a 400 that changes nothing', async () => {
    const { id } = await createStored()
    for (const headers of [{ authorization: mask }, { Authorization: mask, 'X-New': '1' }]) {
      const answer = await patch(id, { target_hook_url: elsewhere, headers })
      expect([answer.status, answer.body.details[0].path]).toEqual([400, '/headers'])
    }
    expect(await open(id)).toMatchObject({ url: 'https://hooks.example.com/in', headers: stored })
  })

  test('values that are sent again move along', async () => {
    const { id } = await createStored()
    const headers = { Authorization: 'Bearer def' }
    expect((await patch(id, { target_hook_url: elsewhere, headers })).status).toBe(200)
    expect(await open(id)).toMatchObject({ url: elsewhere, headers })
  })

  test.each(['https://hooks.example.com/other?a=1', 'HTTPS://HOOKS.EXAMPLE.COM:443/in'])(
    '%s is the same origin: they stay, masked or left out',
    async (url) => {
      for (const more of [{}, { headers: { Authorization: mask } }]) {
        const { id } = await createStored()
        await patch(id, { target_hook_url: url, ...more })
        expect((await open(id)).headers).toEqual(stored)
      }
    },
  )
})

describe('rotating the signing secret', () => {
  let created: Created
  beforeEach(async () => {
    created = await create()
  })
  const signing = async () => (await open(created.id)).secrets.map((key) => key.toString('base64'))
  const keysOf = (...secrets: string[]) =>
    secrets.map((secret) => secretBytes(secret).toString('base64'))

  test('answers the new one once; both sign for a day, then only the new one', async () => {
    const answer = await patch(created.id, { signing_secret: null })
    const made = answer.body.signing_secret
    expect(made).toMatch(/^whsec_/)
    expect(await read(created.id)).not.toHaveProperty('signing_secret')
    expect(await signing()).toEqual(keysOf(made, created.signing_secret))
    api.ctx.clock.advance(86_400_000 - 1)
    expect(await signing()).toEqual(keysOf(made, created.signing_secret))
    api.ctx.clock.advance(1)
    expect(await signing()).toEqual(keysOf(made))
  })

  test('takes a secret of the user’s own and an overlap of none', async () => {
    const own = `whsec_${randomBytes(64).toString('base64')}`
    const answer = await patch(created.id, {
      signing_secret: own,
      signing_secret_overlap_seconds: 0,
    })
    expect(answer.body.signing_secret).toBe(own)
    expect(await signing()).toEqual(keysOf(own))
  })

  test('twice in a row leaves the two newest', async () => {
    const first = (await patch(created.id, { signing_secret: null })).body.signing_secret
    const second = (await patch(created.id, { signing_secret: null })).body.signing_secret
    expect(await signing()).toEqual(keysOf(second, first))
  })

  test('at the same instant as another waits for it: both secrets that were answered sign', async () => {
    const rotations = await transaction(api.ctx, async (tx) => {
      await lockWebhook(tx.db, api.workspaceId, created.id)
      const under = [1, 2].map(() => patch(created.id, { signing_secret: null }))
      await api.ctx.database.untilWaiting(2)
      return under
    })
    const secrets = (await Promise.all(rotations)).map((answer) => answer.body.signing_secret)
    expect((await signing()).sort()).toEqual(keysOf(...secrets).sort())
  })

  test('is not asked for by who sends back the record that a replayed creation answered', async () => {
    const { signing_secret } = created
    const body = {
      ...{ target_hook_url: 'https://hooks.example.com/in', name: 'CRM' },
      ...{ event_type: 'lead.interested', signing_secret },
    }
    const make = () =>
      api.call('POST', '/api/v2/webhooks', { body, headers: { 'idempotency-key': 'replayed' } })
    await make()
    const replayed = (await make()).body
    expect(replayed.signing_secret).toBeNull()
    const answer = await patch(replayed.id, { ...replayed, name: 'Renamed' })
    expect(answer).toMatchObject({ status: 200, body: { name: 'Renamed' } })
    expect(answer.body).not.toHaveProperty('signing_secret')
    const { secrets } = await open(replayed.id)
    expect(secrets.map((key) => key.toString('base64'))).toEqual(keysOf(signing_secret))
  })

  test('to the secret it has is no rotation', async () => {
    const answer = await patch(created.id, { signing_secret: created.signing_secret })
    expect(answer.body).not.toHaveProperty('signing_secret')
    expect(answer.body.timestamp_updated).toBe(created.timestamp_updated)
    expect(await signing()).toEqual(keysOf(created.signing_secret))
  })
})

describe('pausing and resuming', () => {
  const lane = (id: string) =>
    api.ctx.db
      .selectFrom('webhook_lanes')
      .selectAll()
      .where('workspace_id', '=', api.workspaceId)
      .where('webhook_id', '=', id)
      .executeTakeFirst()

  const fail = (id: string) =>
    api.ctx.db
      .insertInto('webhook_lanes')
      .values({
        workspace_id: api.workspaceId,
        webhook_id: id,
        failures: 30,
        failing_since: api.ctx.now(),
        not_before: api.ctx.now(),
        abandons: 1,
      })
      .execute()

  test('pausing says that a person did it, and since when', async () => {
    const { id } = await create()
    const answer = await patch(id, { status: 'disabled' })
    const now = api.ctx.now().toISOString()
    expect(answer.body).toMatchObject({
      status: 'disabled',
      disabled_reason: 'manual',
      timestamp_disabled: now,
      timestamp_updated: now,
    })
  })

  test('resuming forgets the failures, so that it is not disabled again at once', async () => {
    const { id } = await create()
    await fail(id)
    await patch(id, { status: 'disabled' })
    const answer = await patch(id, { status: 'active' })
    expect(answer.body).toMatchObject({
      status: 'active',
      disabled_reason: null,
      timestamp_disabled: null,
    })
    expect(await lane(id)).toMatchObject({
      failures: 0,
      failing_since: null,
      not_before: null,
      abandons: 1,
    })
  })

  test('a failing one that is told to be active, which it is, keeps its count', async () => {
    const { id } = await create()
    await fail(id)
    await patch(id, { status: 'active', name: 'Other' })
    expect(await lane(id)).toMatchObject({ failures: 30 })
  })

  test('deleting takes the count along', async () => {
    const { id } = await create()
    await fail(id)
    await api.call('DELETE', `${path}/${id}`)
    expect(await lane(id)).toBeUndefined()
  })
})

test('two changes at once are both kept', async () => {
  const { id } = await create({ headers: { 'X-A': '1' } })
  await Promise.all([
    patch(id, { headers: { 'X-A': mask, 'X-B': '2' } }),
    patch(id, { name: 'Both' }),
    patch(id, { event_type: 'email.sent' }),
  ])
  expect(await read(id)).toMatchObject({ name: 'Both', event_type: 'email.sent' })
  expect((await open(id)).headers).toEqual({ 'X-A': '1', 'X-B': '2' })
})
