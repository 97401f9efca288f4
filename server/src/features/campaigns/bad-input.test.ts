import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { oneStep } from '../../../test/campaigns.ts'

let api: TestApi
let url: string

beforeAll(async () => {
  api = await testApi()
  const { body } = await api.call('POST', '/api/v2/campaigns', { body: { name: 'before' } })
  url = `/api/v2/campaigns/${body.id}`
})

afterAll(() => api[Symbol.asyncDispose]())

const weekly = (more: object = {}) => ({
  name: 'Office',
  timing: { from: '09:00', to: '17:00' },
  days: { 1: true },
  timezone: 'Europe/Berlin',
  ...more,
})
const schedule = (more: object = {}) => ({ schedules: [weekly()], ...more })
const timed = (from: string, to: string) => ({ schedules: [weekly({ timing: { from, to } })] })
const step = (more: object = {}) => ({ variants: [{ subject: 'Hi', body: 'x' }], ...more })
const sequences = (...steps: object[]) => [{ steps }]
const variants = (...list: unknown[]) => sequences(step({ variants: list }))
const bad = step({ variants: [{ subject: '{{', body: '{%' }] })
const times = <T>(count: number, value: T) => Array.from({ length: count }, () => value)
const sameId = '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d'

/** What is sent beside a valid name, and the place that the answer points at. */
const cases: [string, object, string][] = [
  ['an empty name', { name: '' }, '/name'],
  ['a blank name', { name: '   ' }, '/name'],
  ['a name of 256 characters', { name: 'x'.repeat(256) }, '/name'],
  ['a name that is a number', { name: 7 }, '/name'],
  ['a name with a control character', { name: 'a\u0007b' }, '/name'],
  ['a name that turns what follows around', { name: 'a\u202eb' }, '/name'],
  ['a name with a line break', { name: 'a\nb' }, '/name'],
  ['an unknown status', { status: 'running' }, '/status'],
  ['a status of another case', { status: 'Draft' }, '/status'],
  ['a status that is a number', { status: 1 }, '/status'],
  ['an unknown field', { nmae: 'typo' }, '/nmae'],
  ['a prototype name as a field', { constructor: { x: 1 } }, '/constructor'],

  ['a schedule that is a list', { campaign_schedule: [schedule()] }, '/campaign_schedule'],
  ['a schedule that is text', { campaign_schedule: 'always' }, '/campaign_schedule'],
  ['a schedule without windows', { campaign_schedule: {} }, '/campaign_schedule/schedules'],
  [
    'a schedule with no window',
    { campaign_schedule: { schedules: [] } },
    '/campaign_schedule/schedules',
  ],
  [
    '11 windows',
    { campaign_schedule: { schedules: times(11, weekly()) } },
    '/campaign_schedule/schedules',
  ],
  [
    '10,000 windows',
    { campaign_schedule: { schedules: times(10_000, weekly()) } },
    '/campaign_schedule/schedules',
  ],
  [
    'an unknown field in a schedule',
    { campaign_schedule: schedule({ holidays: ['x'] }) },
    '/campaign_schedule/holidays',
  ],
  [
    'a day that no month has',
    { campaign_schedule: schedule({ start_date: '2030-02-30' }) },
    '/campaign_schedule/start_date',
  ],
  [
    'a date with a time',
    { campaign_schedule: schedule({ end_date: '2030-01-01T00:00:00Z' }) },
    '/campaign_schedule/end_date',
  ],
  [
    'an end before the start',
    { campaign_schedule: schedule({ start_date: '2030-02-02', end_date: '2030-02-01' }) },
    '/campaign_schedule/end_date',
  ],
  [
    'a window without times',
    { campaign_schedule: { schedules: [{ days: { 1: true }, timezone: 'UTC' }] } },
    '/campaign_schedule/schedules/0/timing',
  ],
  ...(
    [
      ['9:00', '17:00', 'from'],
      ['09:00', '25:00', 'to'],
      ['24:00', '24:00', 'from'],
      ['09:60', '17:00', 'from'],
      ['17:00', '09:00', 'to'],
      ['09:00', '09:00', 'to'],
      ['09:00', '24:01', 'to'],
      ['', '17:00', 'from'],
    ] as const
  ).map(([from, to, at]): [string, object, string] => [
    `a window from "${from}" to "${to}"`,
    { campaign_schedule: timed(from, to) },
    `/campaign_schedule/schedules/0/timing/${at}`,
  ]),
  [
    'a window without days',
    { campaign_schedule: { schedules: [weekly({ days: {} })] } },
    '/campaign_schedule/schedules/0/days',
  ],
  [
    'a window with no day that is true',
    { campaign_schedule: { schedules: [weekly({ days: { 1: false } })] } },
    '/campaign_schedule/schedules/0/days',
  ],
  [
    'an eighth day',
    { campaign_schedule: { schedules: [weekly({ days: { 1: true, 7: true } })] } },
    '/campaign_schedule/schedules/0/days/7',
  ],
  [
    'a day that is text',
    { campaign_schedule: { schedules: [weekly({ days: { 1: 'true' } })] } },
    '/campaign_schedule/schedules/0/days/1',
  ],
  ...['+02:00', 'Mars/Olympus', '', 'UTC+1', 'Europe/Berlin '].map(
    (timezone): [string, object, string] => [
      `the time zone "${timezone}"`,
      { campaign_schedule: { schedules: [weekly({ timezone })] } },
      '/campaign_schedule/schedules/0/timezone',
    ],
  ),
  [
    'two different schedules',
    { campaign_schedule: schedule(), schedule: timed('10:00', '11:00') },
    '/schedule',
  ],
  [
    'a bad schedule under its other name',
    { schedule: timed('17:00', '09:00') },
    '/schedule/schedules/0/timing/to',
  ],

  ['sequences that are an object', { sequences: { steps: [] } }, '/sequences'],
  ['two sequences', { sequences: [...oneStep, ...oneStep] }, '/sequences'],
  ['a sequence that is null', { sequences: [null] }, '/sequences/0'],
  ['a sequence without steps', { sequences: [{}] }, '/sequences/0/steps'],
  ['no step', { sequences: sequences() }, '/sequences/0/steps'],
  ['51 steps', { sequences: sequences(...times(51, step({ delay: 1 }))) }, '/sequences/0/steps'],
  [
    'a step of another type',
    { sequences: sequences(step({ type: 'sms' })) },
    '/sequences/0/steps/0/type',
  ],
  ['a negative delay', { sequences: sequences(step({ delay: -1 })) }, '/sequences/0/steps/0/delay'],
  [
    'a delay of half a day',
    { sequences: sequences(step({ delay: 0.5 })) },
    '/sequences/0/steps/0/delay',
  ],
  ['a delay as text', { sequences: sequences(step({ delay: '1' })) }, '/sequences/0/steps/0/delay'],
  [
    'a delay beyond any plan',
    { sequences: sequences(step({ delay: 1_000_000 })) },
    '/sequences/0/steps/0/delay',
  ],
  [
    'a follow-up without a delay',
    { sequences: sequences(step(), step()) },
    '/sequences/0/steps/1/delay',
  ],
  [
    'a delay in weeks',
    { sequences: sequences(step({ delay_unit: 'weeks' })) },
    '/sequences/0/steps/0/delay_unit',
  ],
  ['an id that is no UUID', { sequences: sequences(step({ id: '1' })) }, '/sequences/0/steps/0/id'],
  [
    'two steps of one id',
    { sequences: sequences(step({ id: sameId }), step({ id: sameId, delay: 1 })) },
    '/sequences/0/steps/1/id',
  ],
  [
    'an unknown field in a step',
    { sequences: sequences(step({ wait: 3 })) },
    '/sequences/0/steps/0/wait',
  ],
  ['no variant', { sequences: variants() }, '/sequences/0/steps/0/variants'],
  [
    '27 variants',
    { sequences: variants(...times(27, { subject: 'Hi', body: 'x' })) },
    '/sequences/0/steps/0/variants',
  ],
  ['a variant that is null', { sequences: variants(null) }, '/sequences/0/steps/0/variants/0'],
  [
    'a variant without a body',
    { sequences: variants({ subject: 'Hi' }) },
    '/sequences/0/steps/0/variants/0/body',
  ],
  [
    'a subject of 501 characters',
    { sequences: variants({ subject: 'x'.repeat(501), body: 'x' }) },
    '/sequences/0/steps/0/variants/0/subject',
  ],
  [
    'a body over 256 KiB',
    { sequences: variants({ subject: 'Hi', body: 'x'.repeat(256 * 1024 + 1) }) },
    '/sequences/0/steps/0/variants/0/body',
  ],
  [
    'a body over 256 KiB of few characters',
    { sequences: variants({ subject: 'Hi', body: '€'.repeat(90_000) }) },
    '/sequences/0/steps/0/variants/0/body',
  ],
  [
    'a body whose template does not parse',
    { sequences: variants({ subject: 'Hi', body: '<p>\n{% if first_name %}' }) },
    '/sequences/0/steps/0/variants/0/body',
  ],
  [
    'a subject whose template does not parse',
    { sequences: variants({ subject: 'Hi {{ first_name', body: 'x' }) },
    '/sequences/0/steps/0/variants/0/subject',
  ],

  ['an email_list that is text', { email_list: 'anna@example.com' }, '/email_list'],
  ['an email_list of numbers', { email_list: [7] }, '/email_list/0'],
  ['an email_list with an empty address', { email_list: [' '] }, '/email_list/0'],
  ['10,000 addresses', { email_list: times(10_000, 'a@example.com') }, '/email_list'],
  ['21 copies', { cc_list: times(21, 'a@example.com') }, '/cc_list'],
  ['a copy to no address', { cc_list: ['a@example.com', 'Anna'] }, '/cc_list/1'],
  ['a blind copy to no address', { bcc_list: ['Anna <a@example.com>'] }, '/bcc_list/0'],

  ...(
    [
      ['daily_limit', 0],
      ['daily_limit', -1],
      ['daily_limit', 1.5],
      ['daily_limit', 100_001],
      ['daily_limit', '10'],
      ['daily_limit', true],
      ['daily_max_leads', -1],
      ['daily_max_leads', 1e21],
      ['email_gap', -1],
      ['email_gap', 1441],
      ['email_gap', 2 ** 31],
      ['random_wait_max', 1441],
      ['expire_after_days', 0],
      ['expire_after_days', 3651],
      ['stop_on_reply', 'true'],
      ['stop_on_auto_reply', 1],
      ['stop_for_company', 'no'],
      ['open_tracking', 1],
      ['link_tracking', 'on'],
      ['text_only', 0],
      ['first_email_text_only', 'x'],
      ['insert_unsubscribe_header', 1],
      ['prioritize_new_leads', 'yes'],
    ] as const
  ).map(([field, value]): [string, object, string] => [
    `${field} ${JSON.stringify(value)}`,
    { [field]: value },
    `/${field}`,
  ]),
]

describe.each(['POST', 'PATCH'])('%s', (method) => {
  test.each(cases)('refuses %s', async (_case, input, path) => {
    const answer = await send(method, input)
    expect(answer.status).toBe(400)
    expect(['invalid_field', 'unknown_field']).toContain(answer.body.code)
    expect(answer.body.details.map((detail: { path: string }) => detail.path)).toContain(path)
    expect(answer.body.message.length).toBeLessThan(1000)
  })

  test('refuses an unknown field by a code of its own and names those accepted', async () => {
    const answer = await send(method, { nmae: 'typo' })
    expect(answer.body.code).toBe('unknown_field')
    expect(answer.body.message).toContain('campaign_schedule')
  })

  test.each([null, false, '', [], {}])('ignores an unknown field that holds %j', async (empty) => {
    const answer = await send(method, { future_setting: empty })
    expect(answer.status).toBe(method === 'POST' ? 201 : 200)
    expect(answer.body).not.toHaveProperty('future_setting')
  })

  test('tells the line and column of a template that does not parse', async () => {
    const input = { sequences: variants({ subject: 'Hi', body: '<p>\n{% if first_name %}' }) }
    expect((await send(method, input)).body.message).toMatch(/line 2/)
  })

  test.each([
    ['9:00', timed('9:00', '17:00'), /timing\.from must be a time as HH:MM$/],
    ['5pm', timed('09:00', '5pm'), /timing\.to must be a time as HH:MM$/],
    [
      '01.12.2026',
      schedule({ start_date: '01.12.2026' }),
      /start_date must be a date as YYYY-MM-DD$/,
    ],
  ])('says how %s is to be written', async (_text, campaign_schedule, message) => {
    expect((await send(method, { campaign_schedule })).body.message).toMatch(message)
  })

  test('names every problem at once', async () => {
    const answer = await send(method, {
      campaign_schedule: timed('17:00', '09:00'),
      sequences: sequences(step(), step()),
      cc_list: ['Anna'],
    })
    expect(answer.body.details).toHaveLength(3)
  })

  test('names a hundred of more, and says so', async () => {
    const { body } = await send(method, { sequences: sequences(...times(50, bad)) })
    expect(body.details).toHaveLength(100)
    expect(body.message).toMatch(/; more is wrong than these 100 details$/)
  })

  test.each([[[]], ['text'], [7], [null]])('refuses the body %j', async (body) => {
    const answer = await api.call(method, method === 'POST' ? '/api/v2/campaigns' : url, {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
    expect(answer).toMatchObject({ status: 400 })
  })

  test('refuses a body over 1 MiB', async () => {
    const answer = await send(method, { name: 'x'.repeat(1024 * 1024) })
    expect(answer).toMatchObject({ status: 400, body: { code: 'body_too_large' } })
  })
})

test('unknown fields that are empty are ignored in all steps and variants of the largest campaign', async () => {
  const variant = { subject: 'Hi', body: 'x', attachments: [], is_html: false }
  const steps = times(50, step({ delay: 1, note: '', variants: times(26, variant) }))
  const answer = await send('POST', { sequences: sequences(...steps) })
  expect(answer.status).toBe(201)
  const [stored] = answer.body.sequences[0].steps.at(-1).variants
  expect(stored).not.toHaveProperty('attachments')

  const last = step({ delay: 1, variants: [{ ...variant, attachments: ['file'] }] })
  const refused = await send('POST', { sequences: sequences(...steps.slice(1), last) })
  expect(refused.body).toMatchObject({
    code: 'unknown_field',
    details: [{ path: '/sequences/0/steps/49/variants/0/attachments' }],
  })
})

test.each(['active', 'paused', 'completed'])('a new campaign is never %s', async (status) => {
  expect((await send('POST', { status })).body).toMatchObject({
    code: 'invalid_field',
    details: [{ path: '/status' }],
  })
})

test.each(['id', 'workspace_id', 'timestamp_created', 'lead_counts', 'sending_status'])(
  'a new campaign takes no %s',
  async (field) => {
    expect((await send('POST', { [field]: 'x' })).body.code).toBe('unknown_field')
  },
)

test('a new campaign needs a name', async () => {
  for (const body of [{}, { name: null }, undefined]) {
    const answer = await api.call('POST', '/api/v2/campaigns', body === undefined ? {} : { body })
    expect(answer.status).toBe(400)
  }
})

test.each([
  'name',
  'status',
  'campaign_schedule',
  'schedule',
  'sequences',
  'email_list',
  'cc_list',
  'bcc_list',
  'email_gap',
  'random_wait_max',
  'stop_on_reply',
  'open_tracking',
])('a PATCH cannot clear %s', async (field) => {
  expect(await send('PATCH', { [field]: null })).toMatchObject({
    status: 400,
    body: { details: [{ path: `/${field}` }] },
  })
})

test('no refused PATCH changed the campaign', async () => {
  const { body } = await api.call('GET', url)
  expect(body).toMatchObject({ name: 'before', status: 'draft' })
  expect(body.timestamp_updated).toBe(body.timestamp_created)
})

const send = (method: string, input: object) =>
  method === 'POST'
    ? api.call('POST', '/api/v2/campaigns', { body: { name: 'valid', ...input } })
    : api.call('PATCH', url, { body: input })
