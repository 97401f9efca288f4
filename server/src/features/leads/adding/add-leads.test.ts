import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../../test/app.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { suppress } from '../../suppression/index.ts'
import { setPlan } from '../../workspaces/index.ts'

let api: TestApi
let serial = 0

beforeAll(async () => {
  api = await testApi()
  await transaction(api.ctx, (tx) =>
    suppress(tx, api.workspaceId, [
      { kind: 'address', value: 'asked@stop.example', reason: 'unsubscribed', campaignId: null },
      { kind: 'address', value: 'gone@stop.example', reason: 'bounced', campaignId: null },
      { kind: 'domain', value: 'rival.example', reason: 'blocked', campaignId: null },
    ]),
  )
})
afterAll(() => api[Symbol.asyncDispose]())

const createCampaign = async () => {
  const answer = await api.call('POST', '/api/v2/campaigns', { body: { name: `c${serial++}` } })
  return answer.body.id as string
}
const add = (campaign_id: string, leads: unknown, more: object = {}, key = api.key) =>
  api.call('POST', '/api/v2/lead/add', { body: { campaign_id, leads, ...more }, key })
const get = (campaignId: string, email: string) =>
  api.call('GET', `/api/v2/lead/get?campaign_id=${campaignId}&email=${encodeURIComponent(email)}`)
const countsOf = async (campaignId: string) =>
  (await api.call('GET', `/api/v2/campaigns/${campaignId}`)).body.lead_counts
const addresses = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => ({ email: `p${from + i}@many.example` }))

const noSkips = {
  duplicated_leads: 0,
  duplicate_email_count: 0,
  skipped_count: 0,
  invalid_email_count: 0,
  in_blocklist: 0,
  skipped_leads: [],
}

test('an added lead answers with everything that was given and the defaults of the rest', async () => {
  const campaignId = await createCampaign()
  const answer = await add(campaignId, [
    {
      email: ' Ann.Smith@Example.COM ',
      first_name: ' Ann ',
      personalization: ' as\ntyped ',
      phone: null,
      custom_variables: { plan: 'pro', seats: 12, trial: false },
    },
  ])
  expect(answer.status).toBe(200)
  const [{ id }] = answer.body.created_leads
  expect(answer.body).toEqual({
    status: 'success',
    campaign_id: campaignId,
    total_sent: 1,
    leads_uploaded: 1,
    leads_updated: 0,
    ...noSkips,
    remaining_in_plan: null,
    created_leads: [{ index: 0, id, email: 'Ann.Smith@Example.COM' }],
  })
  expect((await get(campaignId, 'ann.smith@example.com')).body).toEqual({
    id,
    campaign_id: campaignId,
    email: 'Ann.Smith@Example.COM',
    first_name: 'Ann',
    last_name: null,
    company_name: null,
    company_domain: null,
    job_title: null,
    phone: null,
    website: null,
    personalization: ' as\ntyped ',
    custom_variables: { plan: 'pro', seats: 12, trial: false },
    status: 'new',
    sending_state: 'pending',
    stop_reason: null,
    skip_reason: null,
    current_step: 0,
    last_contacted_from: null,
    email_open_count: 0,
    email_click_count: 0,
    email_reply_count: 0,
    timestamp_last_contact: null,
    timestamp_last_open: null,
    timestamp_last_reply: null,
    timestamp_next_send: api.ctx.now().toISOString(),
    workspace_id: api.workspaceId,
    timestamp_created: api.ctx.now().toISOString(),
    timestamp_updated: api.ctx.now().toISOString(),
  })
})

test('each row ends in one counter, and every row without a lead says why', async () => {
  const elsewhere = await createCampaign()
  await add(elsewhere, [{ email: 'both@rows.example' }, { email: 'other@rows.example' }])
  const campaignId = await createCampaign()
  await add(campaignId, [{ email: 'here@rows.example' }, { email: 'both@rows.example' }])
  const before = await countsOf(campaignId)
  const rows = [
    ['new@rows.example', undefined],
    ['not an address', 'invalid_email'],
    ['NEW@rows.example', 'duplicate_in_request'],
    ['here@rows.example', 'already_in_campaign'],
    ['Other@rows.example', 'in_workspace'],
    ['both@rows.example', 'already_in_campaign'],
    ['asked@stop.example', 'unsubscribed'],
    ['Gone@stop.example', 'bounced'],
    ['any@rival.example', 'in_blocklist'],
    ['asked@stop.example', 'duplicate_in_request'],
    ['', 'invalid_email'],
    ['newer@rows.example', undefined],
  ] as const
  const leads = rows.map(([email]) => ({ email }))
  const { status, body } = await add(campaignId, leads, { skip_if_in_workspace: true })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    total_sent: 12,
    leads_uploaded: 2,
    leads_updated: 0,
    duplicated_leads: 2,
    duplicate_email_count: 2,
    skipped_count: 1,
    invalid_email_count: 2,
    in_blocklist: 3,
  })
  expect(body.created_leads.map(({ index }: { index: number }) => index)).toEqual([0, 11])
  expect(body.skipped_leads).toEqual(
    rows.flatMap(([email, reason], index) => (reason ? [{ index, email, reason }] : [])),
  )
  const after = await countsOf(campaignId)
  expect(after).toEqual({ ...before, total: before.total + 2, active: before.active + 2 })
})

test('without skip_if_in_workspace an address may be in several campaigns', async () => {
  const lead = { email: 'shared@several.example' }
  await add(await createCampaign(), [lead])
  const { body } = await add(await createCampaign(), [lead])
  expect(body).toMatchObject({ leads_uploaded: 1, ...noSkips })
})

test('1,000 leads are added, 1,001 and none are refused', async () => {
  const campaignId = await createCampaign()
  const tooMany = await add(campaignId, addresses(1001))
  expect(tooMany.status).toBe(400)
  expect(tooMany.body).toMatchObject({ code: 'invalid_field', details: [{ path: '/leads' }] })
  expect((await add(campaignId, [])).body).toMatchObject({ details: [{ path: '/leads' }] })
  const { body } = await add(campaignId, addresses(1000))
  expect(body).toMatchObject({ total_sent: 1000, leads_uploaded: 1000, ...noSkips })
  expect(await countsOf(campaignId)).toMatchObject({ total: 1000, active: 1000 })
  const again = await add(campaignId, addresses(1000, 500))
  expect(again.body).toMatchObject({ leads_uploaded: 500, duplicated_leads: 500 })
})

test('a body of several megabytes is accepted here', async () => {
  const campaignId = await createCampaign()
  const leads = addresses(400).map((lead) => ({ ...lead, personalization: 'x'.repeat(9_000) }))
  expect((await add(campaignId, leads)).body).toMatchObject({ leads_uploaded: 400 })
})

describe('overwrite updates what is supplied of a lead that is there', () => {
  test('texts that are given, variables merged, null removes a variable', async () => {
    const campaignId = await createCampaign()
    await add(campaignId, [
      {
        email: 'Ann@over.example',
        first_name: 'Ann',
        last_name: 'Smith',
        custom_variables: { keep: 1, change: 1, drop: 1 },
      },
      { email: 'bob@over.example', first_name: 'Bob' },
    ])
    const created = (await get(campaignId, 'ann@over.example')).body
    api.ctx.clock.advance(1000)
    const { body } = await add(
      campaignId,
      [
        { email: 'new@over.example' },
        {
          email: 'ann@over.example',
          first_name: 'Anna',
          last_name: null,
          phone: '123',
          change: 2,
          custom_variables: { drop: null, fresh: true },
        },
        { email: 'BOB@over.example' },
      ],
      { overwrite: true },
    )
    expect(body).toMatchObject({ leads_uploaded: 1, leads_updated: 2, total_sent: 3, ...noSkips })
    expect((await get(campaignId, 'ann@over.example')).body).toEqual({
      ...created,
      first_name: 'Anna',
      phone: '123',
      custom_variables: { keep: 1, change: 2, fresh: true },
      timestamp_updated: api.ctx.now().toISOString(),
    })
    expect((await get(campaignId, 'bob@over.example')).body.first_name).toBe('Bob')
    expect(await countsOf(campaignId)).toMatchObject({ total: 3, active: 3 })
  })

  test('neither a suppressed address nor one that is only elsewhere', async () => {
    await add(await createCampaign(), [{ email: 'away@over.example' }])
    const { body } = await add(
      await createCampaign(),
      [{ email: 'away@over.example' }, { email: 'gone@stop.example' }],
      { overwrite: true, skip_if_in_workspace: true },
    )
    expect(body).toMatchObject({ leads_updated: 0, skipped_count: 1, in_blocklist: 1 })
  })

  test('never beyond 100 variables, and then nothing of the request is done', async () => {
    const campaignId = await createCampaign()
    await add(campaignId, [{ email: 'full@over.example', custom_variables: variables(100) }])
    const more = { email: 'full@over.example', one_more: 'x' }
    const refused = await add(campaignId, [{ email: 'new@over.example' }, more], {
      overwrite: true,
    })
    expect(refused.status).toBe(400)
    expect(refused.body.details).toMatchObject([{ path: '/leads/1/custom_variables' }])
    expect((await get(campaignId, 'new@over.example')).status).toBe(404)
    const swapped = { ...more, custom_variables: { v0: null } }
    const { body } = await add(campaignId, [swapped], { overwrite: true })
    expect(body).toMatchObject({ leads_updated: 1 })
  })
})

const variables = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`v${i}`, i]))

describe('what is not a lead is refused as a whole, with the path of the row', () => {
  const long = (length: number) => 'x'.repeat(length)
  test.each([
    ['no email', {}, '/leads/1/email'],
    ['an email that is null', { email: null }, '/leads/1/email'],
    ['an email that is no text', { email: 7 }, '/leads/1/email'],
    ['a row that is no object', 'ann@example.com', '/leads/1'],
    [
      'a text field of another type',
      { email: 'a@b.example', first_name: 7 },
      '/leads/1/first_name',
    ],
    ['a long text', { email: 'a@b.example', website: long(1001) }, '/leads/1/website'],
    [
      'a long personalization',
      { email: 'a@b.example', personalization: long(10_001) },
      '/leads/1/personalization',
    ],
    [
      'variables that are no object',
      { email: 'a@b.example', custom_variables: [1] },
      '/leads/1/custom_variables',
    ],
    [
      '101 variables',
      { email: 'a@b.example', custom_variables: variables(101) },
      '/leads/1/custom_variables',
    ],
    [
      '101 variables in both places',
      { email: 'a@b.example', own: 1, custom_variables: variables(100) },
      '/leads/1/custom_variables',
    ],
    [
      'a variable that is an object',
      { email: 'a@b.example', custom_variables: { deep: { a: 1 } } },
      '/leads/1/custom_variables/deep',
    ],
    [
      'a long variable',
      { email: 'a@b.example', custom_variables: { v: long(4001) } },
      '/leads/1/custom_variables/v',
    ],
    [
      'a variable with a long name',
      { email: 'a@b.example', custom_variables: { [long(65)]: 1 } },
      `/leads/1/custom_variables/${long(65)}`,
    ],
    [
      'a variable without a name',
      { email: 'a@b.example', custom_variables: { '': 'x' } },
      '/leads/1/custom_variables/',
    ],
    ['a name of spaces at top level', { email: 'a@b.example', ' \t': 'x' }, '/leads/1/ \t'],
    [
      'a variable that is a number with more digits than a double keeps',
      { email: 'a@b.example', custom_variables: { external_id: 2 ** 53 } },
      '/leads/1/custom_variables/external_id',
    ],
    [
      'such a number at top level',
      { email: 'a@b.example', external_id: -(2 ** 53) },
      '/leads/1/external_id',
    ],
    ['a list at top level', { email: 'a@b.example', 'a/b~c': [1] }, '/leads/1/a~1b~0c'],
    ['a long variable at top level', { email: 'a@b.example', v: long(4001) }, '/leads/1/v'],
    ['a long name at top level', { email: 'a@b.example', [long(65)]: 1 }, `/leads/1/${long(65)}`],
  ])('%s', async (_what, lead, path) => {
    const campaignId = await createCampaign()
    const { status, body } = await add(campaignId, [{ email: 'ok@refused.example' }, lead])
    expect({ status, code: body.code, path: body.details?.[0]?.path }).toEqual({
      status: 400,
      code: 'invalid_field',
      path,
    })
    expect((await get(campaignId, 'ok@refused.example')).status).toBe(404)
  })

  test.each([
    ['NUL', '{"email":"a@b.example","first_name":"a\\u0000b"}'],
    ['half a surrogate pair', '{"email":"a@b.example","v":"\\ud800"}'],
    ['__proto__', '{"email":"a@b.example","custom_variables":{"__proto__":1}}'],
  ])('%s', async (_what, lead) => {
    const response = await api.app.inject({
      method: 'POST',
      url: '/api/v2/lead/add',
      headers: { authorization: `Bearer ${api.key}`, 'content-type': 'application/json' },
      payload: `{"campaign_id":"${await createCampaign()}","leads":[${lead}]}`,
    })
    expect(response.statusCode).toBe(400)
    expect(response.json().code).toBe('invalid_json')
  })

  test('rows of which none has a valid address', async () => {
    const { status, body } = await add(await createCampaign(), [{ email: 'x' }, { email: '@' }])
    expect(status).toBe(400)
    expect(body).toMatchObject({
      code: 'no_valid_leads',
      details: [{ path: '/leads/0/email' }, { path: '/leads/1/email' }],
    })
    expect(JSON.stringify(body)).not.toContain('@')
  })
})

describe('custom variables', () => {
  const stored = async (lead: object) => {
    const campaignId = await createCampaign()
    const { status, body } = await add(campaignId, [{ email: 'vars@vars.example', ...lead }])
    expect({ status, body }).toMatchObject({ status: 200 })
    return (await get(campaignId, 'vars@vars.example')).body.custom_variables
  }

  test('other scalars become variables, custom_variables wins, empty things say nothing', async () => {
    const lead = { city: 'Oslo', size: 5, hot: true, tags: [], meta: {}, none: null, empty: '' }
    expect(await stored({ ...lead, custom_variables: { size: 6, gone: null } })).toEqual({
      city: 'Oslo',
      size: 6,
      hot: true,
      empty: '',
    })
  })

  test('names that JavaScript gives a meaning are ordinary names', async () => {
    const names = { constructor: 'a', toString: 'b', hasOwnProperty: 1, valueOf: true, length: 3 }
    expect(await stored(names)).toEqual(names)
    expect(await stored({ custom_variables: names })).toEqual(names)
  })

  test('numbers are kept to the last digit', async () => {
    const numbers = {
      largest: 2 ** 53 - 1,
      least: 1 - 2 ** 53,
      part: 0.1,
      text: '1234567890123456789',
    }
    expect(await stored(numbers)).toEqual(numbers)
    expect(await stored({ custom_variables: numbers })).toEqual(numbers)
  })

  test('100 with the longest names and values', async () => {
    const most = Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [String(i).padStart(64, '€'), '😀'.repeat(4000)]),
    )
    expect(await stored({ custom_variables: most })).toEqual(most)
  })

  test('read-only fields of a record are no variables, whatever they hold', async () => {
    const record = { id: 'x', status: ['y'], sending_state: 1, timestamp_created: null }
    expect(await stored({ ...record, custom_variables: null })).toEqual({})
  })
})

describe('the plan', () => {
  test('a request over the quota adds nothing; one that fills it answers what is left', async () => {
    const stranger = await api.createStranger()
    const as = (method: string, url: string, body?: object) =>
      api.call(method, url, { body, key: stranger.key })
    const campaignIds = [
      (await as('POST', '/api/v2/campaigns', { name: 'one' })).body.id,
      (await as('POST', '/api/v2/campaigns', { name: 'two' })).body.id,
    ]
    await setPlan(api.ctx, stranger.workspaceId, { leadsMax: 5 })
    const [one, two] = campaignIds
    expect((await add(one, addresses(3), {}, stranger.key)).body.remaining_in_plan).toBe(2)
    const over = await add(two, addresses(3), {}, stranger.key)
    expect(over.status).toBe(429)
    expect(over.body.code).toBe('quota_exceeded')
    expect(over.headers['retry-after']).toBeUndefined()
    expect((await add(two, addresses(2), {}, stranger.key)).body.remaining_in_plan).toBe(0)
    const full = await add(one, addresses(3), { overwrite: true }, stranger.key)
    expect(full.body).toMatchObject({ leads_updated: 3, remaining_in_plan: 0 })
    await setPlan(api.ctx, stranger.workspaceId, { leadsMax: 1 })
    const lowered = await add(one, addresses(3), {}, stranger.key)
    expect(lowered.body).toMatchObject({ duplicated_leads: 3, remaining_in_plan: 0 })
  })
})

describe('the campaign', () => {
  test('unknown or of another workspace: 404, and nothing is added', async () => {
    const stranger = await api.createStranger()
    const campaignId = await createCampaign()
    const leads = [{ email: 'ann@foreign.example' }]
    const foreign = await add(campaignId, leads, {}, stranger.key)
    expect({ status: foreign.status, code: foreign.body.code }).toEqual({
      status: 404,
      code: 'not_found',
    })
    expect((await add(api.ctx.newId(), leads)).status).toBe(404)
    expect((await get(campaignId, 'ann@foreign.example')).status).toBe(404)
    expect((await add('abc', leads)).body).toMatchObject({ details: [{ path: '/campaign_id' }] })
  })

  test('adding leads starts nothing', async () => {
    const campaignId = await createCampaign()
    await add(campaignId, addresses(1))
    const { body } = await api.call('GET', `/api/v2/campaigns/${campaignId}`)
    expect(body.status).toBe('draft')
  })
})

test('an unknown member of the body is named', async () => {
  const { body } = await add(await createCampaign(), addresses(1), { resume: true })
  expect(body).toMatchObject({ code: 'unknown_field', details: [{ path: '/resume' }] })
})

test('a repeated request with an Idempotency-Key adds once and answers the same', async () => {
  const body = { campaign_id: await createCampaign(), leads: addresses(2) }
  const headers = { 'idempotency-key': 'add-once' }
  const first = await api.call('POST', '/api/v2/lead/add', { body, headers })
  const second = await api.call('POST', '/api/v2/lead/add', { body, headers })
  expect(second.body).toEqual(first.body)
  expect(second.headers['idempotency-replayed']).toBe('true')
})
