import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../../test/app.ts'
import {
  failure,
  insertAttempt,
  insertCount,
  insertEvent,
} from '../../../../test/webhook-event-rows.ts'
import { createIdGenerator, timeOfId } from '../../../kernel/ids.ts'

const path = '/api/v2/webhook-events'

let api: TestApi
beforeAll(async () => {
  api = await testApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const attempt = (fields: object = {}, workspaceId = api.workspaceId) =>
  insertAttempt(api.ctx, workspaceId, fields)

const get = async (id: string) => (await api.call('GET', `${path}/${id}`)).body

describe('one record', () => {
  test('holds what was attempted, what came of it, and the bytes that were sent', async () => {
    const payload = { id: 'e', type: 'lead.interested', data: { lead: { email: 'a@example.com' } } }
    const nextRetry = new Date(api.ctx.now().getTime() + 5000)
    const row = await attempt({
      ...failure,
      campaign_id: api.ctx.newId(),
      lead_email: 'a@example.com',
      will_retry: true,
      timestamp_next_retry: nextRetry,
      response_body: 'try later',
    })
    await insertEvent(api.ctx.db, api.workspaceId, row.event_id, payload)
    const answer = await api.call('GET', `${path}/${row.id.toUpperCase()}`)
    const { workspace_id: _, ...fields } = row
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        ...fields,
        payload,
        timestamp_next_retry: nextRetry.toISOString(),
        timestamp_created: timeOfId(row.id).toISOString(),
        timestamp_created_date: timeOfId(row.id).toISOString().slice(0, 10),
        organization_id: api.workspaceId,
        retry_successful: null,
      },
    ])
    const list = await api.call('GET', `${path}?limit=1`)
    expect(list.body).toEqual({ items: [answer.body] })
  })

  test('of nothing attempted has neither status nor duration', async () => {
    const { id } = await attempt({
      ...failure,
      status_code: null,
      response_time_ms: null,
      error_message: 'expired',
      response_body: null,
    })
    expect(await get(id)).toMatchObject({
      status_code: null,
      response_time_ms: null,
      error_message: 'expired',
      payload: {},
    })
  })

  test.each([
    ['an unknown id', '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d'],
    ['an id before all partitions', '00000000-0000-4000-8000-000000000000'],
    ['an id after all partitions', 'ffffffff-ffff-4fff-bfff-ffffffffffff'],
    ['what is no UUID', 'summaries'],
  ])('%s is a 404', async (_what, id) => {
    const answer = await api.call('GET', `${path}/${id}`)
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
  })

  test('of another workspace is a 404', async () => {
    const { id } = await attempt()
    const { key } = await api.createStranger()
    const answer = await api.call('GET', `${path}/${id}`, { key })
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
  })
})

describe('retry_successful', () => {
  const failed = { ...failure, will_retry: true }
  const gaveUp = { ...failure, will_retry: false }

  test.each([
    ['a success at once', [{}], [null]],
    ['a failure that is open', [failed], [null]],
    ['two failures that are open', [failed, failed], [null, null]],
    ['a failure that was not to be retried', [gaveUp], [false]],
    ['a failure, then a success', [failed, {}], [true, true]],
    ['failures, then a success', [failed, failed, {}], [true, true, true]],
    ['failures to the end', [failed, failed, gaveUp], [false, false, false]],
  ])('%s', async (_what, attempts, expected) => {
    const retry_group_id = api.ctx.newId()
    const ids: string[] = []
    for (const [retry_count, fields] of attempts.entries()) {
      await attempt({ retry_group_id: api.ctx.newId(), ...failed })
      ids.push((await attempt({ ...fields, retry_group_id, retry_count })).id)
      api.ctx.clock.advance(1000)
    }
    const read = await Promise.all(ids.map(get))
    expect(read.map((record) => record.retry_successful)).toEqual(expected)
    const list = await api.call('GET', `${path}?limit=100`)
    const listed = new Map(
      list.body.items.map((item: { id: string; retry_successful: unknown }) => [
        item.id,
        item.retry_successful,
      ]),
    )
    expect(ids.map((id) => listed.get(id))).toEqual(expected)
  })

  test('is told by retries in a later week, and in the same millisecond', async () => {
    const retry_group_id = api.ctx.newId()
    const first = await attempt({ ...failed, retry_group_id })
    const nextWeek = new Date(api.ctx.now().getTime() + 7 * 86_400_000)
    const id = createIdGenerator(() => nextWeek)()
    await attempt({ id, retry_group_id, retry_count: 1 })
    expect((await get(first.id)).retry_successful).toBe(true)

    const group = { retry_group_id: api.ctx.newId() }
    const second = await attempt({ ...failed, ...group })
    await attempt({ ...group, retry_count: 1 })
    expect((await get(second.id)).retry_successful).toBe(true)
  })

  test('is not told by a delivery of another workspace', async () => {
    const retry_group_id = api.ctx.newId()
    const { id } = await attempt({ ...failed, retry_group_id })
    const { workspaceId } = await api.createStranger()
    await attempt({ retry_group_id, retry_count: 1 }, workspaceId)
    expect((await get(id)).retry_successful).toBeNull()
  })
})

describe('the list', () => {
  let key: string
  let ids: string[]
  let webhookId: string

  beforeAll(async () => {
    const stranger = await api.createStranger()
    key = stranger.key
    webhookId = api.ctx.newId()
    const rows = []
    const kinds = [
      { webhook_id: webhookId },
      { ...failure, event_type: 'email.sent' },
      { lead_email: 'Ada+x@example.com', webhook_url: 'https://hooks.example.com/a?b=c' },
    ]
    for (const fields of kinds) {
      rows.push(await attempt(fields, stranger.workspaceId))
      api.ctx.clock.advance(60_000)
    }
    ids = rows.map((row) => row.id)
  })

  const find = async (query: string): Promise<number[]> => {
    const answer = await api.call('GET', `${path}?${query}`, { key })
    expect(answer.status).toBe(200)
    return answer.body.items.map((item: { id: string }) => ids.indexOf(item.id))
  }
  const at = (row: number, offsetMs = 0) =>
    new Date(timeOfId(ids[row] ?? '').getTime() + offsetMs).toISOString()

  test('is newest first, and every filter narrows it', async () => {
    expect(await find('')).toEqual([2, 1, 0])
    expect(await find('success=true')).toEqual([2, 0])
    expect(await find('success=false')).toEqual([1])
    expect(await find(`webhook_id=${webhookId.toUpperCase()}`)).toEqual([0])
    expect(await find('event_type=email.sent')).toEqual([1])
    const url = encodeURIComponent('https://hooks.example.com/a?b=c')
    expect(await find(`webhook_url=${url}`)).toEqual([2])
    expect(await find(`webhook_url=${url}&success=false`)).toEqual([])
    expect(await find('lead_email=Ada%2Bx@example.com')).toEqual([2])
    expect(await find('lead_email=Ada+x@example.com')).toEqual([2])
    for (const unknown of [
      'event_type=none',
      'lead_email=b@example.com',
      'webhook_url=https://hooks.example.com/A',
      `webhook_id=${ids[0]}`,
    ]) {
      expect(await find(unknown)).toEqual([])
    }
  })

  test('of a lead is of every spelling that a campaign has of its address', async () => {
    const spellings = ['Eve.Lee@Bücher.example', 'eve.lee@bücher.EXAMPLE']
    const made: unknown[] = []
    for (const email of spellings) {
      const { body } = await api.call('POST', '/api/v2/campaigns', { body: { name: email } })
      const leads = [{ email }]
      await api.call('POST', '/api/v2/lead/add', { body: { campaign_id: body.id, leads } })
      made.push((await attempt({ lead_email: email })).id)
      api.ctx.clock.advance(60_000)
    }
    // Of leads that are not there any more: by what was asked for, and as it is folded.
    const gone = await attempt({ lead_email: 'eve.LEE@bücher.example' })
    const folded = await attempt({ lead_email: 'eve.lee@xn--bcher-kva.example' })
    await attempt({ lead_email: 'lee@bücher.example' })
    const list = async (email: string, more = '') => {
      const query = `lead_email=${encodeURIComponent(email)}${more}`
      const { items } = (await api.call('GET', `${path}?${query}`)).body
      return items.map(({ id }: { id: string }) => id)
    }
    const [first, second] = made
    for (const email of [...spellings, 'EVE.LEE@xn--bcher-kva.example']) {
      expect(await list(email)).toEqual([folded.id, second, first])
    }
    expect(await list('eve.LEE@bücher.example')).toEqual([folded.id, gone.id, second, first])
    expect(await list(spellings[0] ?? '', `&limit=1&starting_after=${second}`)).toEqual([first])
  })

  test('is bounded by whole days or by exact times, both inclusive', async () => {
    const day = at(0).slice(0, 10)
    const dayBefore = new Date(Date.parse(day) - 1).toISOString().slice(0, 10)
    expect(await find(`from=${day}&to=${day}`)).toEqual([2, 1, 0])
    expect(await find(`start_date=${day}&end_date=${day}`)).toEqual([2, 1, 0])
    expect(await find(`end_date=${dayBefore}`)).toEqual([])
    expect(await find(`to=${dayBefore}`)).toEqual([])
    expect(await find(`from=${at(1)}`)).toEqual([2, 1])
    expect(await find(`from=${at(1, 1)}`)).toEqual([2])
    expect(await find(`to=${at(1)}`)).toEqual([1, 0])
    expect(await find(`to=${at(1, -1)}`)).toEqual([0])
    expect(await find(`from=${at(1)}&to=${at(1)}&success=false`)).toEqual([1])
  })

  test('is walked by a cursor, with filters or without', async () => {
    for (const query of ['', 'to=9999-12-31&', 'from=2000-01-01&', `webhook_id=${webhookId}&`]) {
      const walked: string[] = []
      let cursor = ''
      for (;;) {
        const { body } = await api.call('GET', `${path}?${query}limit=1${cursor}`, { key })
        walked.push(...body.items.map((item: { id: string }) => item.id))
        if (body.next_starting_after === undefined) break
        expect(body.next_starting_after).toBe(walked.at(-1))
        cursor = `&starting_after=${body.next_starting_after}`
      }
      expect(walked).toEqual(query.startsWith('webhook_id') ? [ids[0]] : ids.toReversed())
    }
    expect(await find('starting_after=ffffffff-ffff-ffff-ffff-ffffffffffff')).toEqual([2, 1, 0])
    expect(await find('starting_after=00000000-0000-0000-0000-000000000000')).toEqual([])
  })

  test.each([
    ['limit=101', 'invalid_limit'],
    ['starting_after=1', 'invalid_cursor'],
    ['success=1', 'invalid_field'],
    ['success=', 'invalid_field'],
    ['success=true&success=true', 'invalid_field'],
    ['webhook_id=1', 'invalid_field'],
    ['from=yesterday', 'invalid_field'],
    ['to=', 'invalid_field'],
    ['from=2026-11-20&to=2026-11-19', 'invalid_field'],
    ['event_type=', 'invalid_field'],
    ['lead_email=', 'invalid_field'],
    ['webhook_url=', 'invalid_field'],
    ['event_type=%00', 'invalid_field'],
    ['lead_email=a%00', 'invalid_field'],
    ['webhook_url=%00', 'invalid_field'],
  ])('?%s is a 400 %s', async (query, code) => {
    const answer = await api.call('GET', `${path}?${query}`)
    expect([answer.status, answer.body.code]).toEqual([400, code])
  })
})

describe('summaries', () => {
  const none = {
    total_events: 0,
    successful_events: 0,
    failed_events: 0,
    success_rate: 0,
    failure_rate: 0,
  }

  test('add up what every process counted, and leave nothing out', async () => {
    const { key, workspaceId } = await api.createStranger()
    const { db } = api.ctx
    await insertCount(db, workspaceId, '2026-03-01', 0, 3_000_000_000, 0)
    await insertCount(db, workspaceId, '2026-03-01', 1, 0, 1)
    await insertCount(db, workspaceId, '2026-03-03', 0, 1, 2)
    await insertCount(db, workspaceId, '2026-03-04', 0, 7, 7)
    await insertCount(db, api.workspaceId, '2026-03-02', 0, 5, 5)

    const window = 'from=2026-03-01&to=2026-03-03'
    const byDate = await api.call('GET', `${path}/summary-by-date?${window}`, { key })
    expect(byDate.body).toEqual({
      items: [
        {
          date: '2026-03-01',
          total_events: 3_000_000_001,
          successful_events: 3_000_000_000,
          failed_events: 1,
          success_rate: 99.99,
          failure_rate: 0.01,
        },
        { date: '2026-03-02', ...none },
        {
          date: '2026-03-03',
          total_events: 3,
          successful_events: 1,
          failed_events: 2,
          success_rate: 33.33,
          failure_rate: 66.67,
        },
      ],
    })
    const aliases = 'start_date=2026-03-01&end_date=2026-03-03'
    const total = await api.call('GET', `${path}/summary?${aliases}`, { key })
    expect(total.body).toEqual({
      total_events: 3_000_000_004,
      successful_events: 3_000_000_001,
      failed_events: 3,
      success_rate: 99.99,
      failure_rate: 0.01,
    })
  })

  test('of nothing are zeros, one for each of the last 30 days', async () => {
    const { key } = await api.createStranger()
    expect((await api.call('GET', `${path}/summary`, { key })).body).toEqual(none)
    const { items } = (await api.call('GET', `${path}/summary-by-date`, { key })).body
    expect(items).toHaveLength(30)
    expect(items.at(-1)).toEqual({ date: api.ctx.now().toISOString().slice(0, 10), ...none })
  })

  test.each(['summary', 'summary-by-date'])('%s refuses a window that is none', async (name) => {
    for (const query of [
      'from=2026-11-21&to=2026-11-20',
      'from=2020-01-01&to=2022-01-01',
      'from=x',
      'to=%00',
      'from=2026-01-01&start_date=2026-01-02',
      'from=2026-01-01&from=2026-01-01',
    ]) {
      const answer = await api.call('GET', `${path}/${name}?${query}`)
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_field'])
    }
  })

  test('take the first and the last days there are', async () => {
    for (const query of ['to=0010-01-01', 'from=9999-12-01&to=9999-12-31', 'to=9999-12-31']) {
      expect((await api.call('GET', `${path}/summary?${query}`)).status).toBe(200)
    }
  })
})

test.each(['', '/summary', '/summary-by-date', '/:id'])(
  'GET %s needs webhooks:read',
  async (suffix) => {
    const { id } = await attempt()
    const call = async (scope: string) =>
      api.call('GET', path + suffix.replace(':id', id), { key: await api.createKey([scope]) })
    expect((await call('webhooks:create')).body.code).toBe('missing_scope')
    expect((await call('webhooks:read')).status).toBe(200)
  },
)
