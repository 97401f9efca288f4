import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonSchema, OpenApiDocument } from '../../../scripts/openapi/document.ts'
import { createCampaign } from '../../src/features/campaigns/campaigns.ts'
import { statusOf } from '../../src/kernel/errors.ts'
import { type TestApi, testApi } from '../app.ts'
import { createMailbox, oneStep } from '../campaigns.ts'
import { insertPerson } from '../directory-rows.ts'
import { testInstant } from '../instants.ts'
import { createJudge, type Judge, listOperations, readDocument, resolve } from './document.ts'

let api: TestApi
let document: OpenApiDocument
let judge: Judge
beforeAll(async () => {
  api = await testApi({
    baseUrl: 'https://api.example.com/outreach',
    apiUrl: 'https://leads.example.com',
  })
  document = await readDocument(api.app)
  judge = createJudge(document)
})
afterAll(() => api[Symbol.asyncDispose]())

/** Every path of the requirement, with the scopes it needs (contract §2). */
const required: Record<string, string[]> = {
  'POST /oauth/service-accounts': ['service_accounts:create'],
  'GET /oauth/service-accounts': ['service_accounts:read'],
  'DELETE /oauth/service-accounts/{id}': ['service_accounts:delete'],
  'GET /api/v2/webhooks': ['webhooks:read'],
  'POST /api/v2/webhooks': ['webhooks:create'],
  'GET /api/v2/webhooks/{id}': ['webhooks:read'],
  'PATCH /api/v2/webhooks/{id}': ['webhooks:update'],
  'DELETE /api/v2/webhooks/{id}': ['webhooks:delete'],
  'GET /api/v2/webhooks/event-types': ['webhooks:read'],
  'POST /api/v2/webhooks/{id}/test': ['webhooks:create', 'webhooks:update'],
  'GET /api/v2/webhook-events': ['webhooks:read'],
  'GET /api/v2/webhook-events/{id}': ['webhooks:read'],
  'GET /api/v2/webhook-events/summary': ['webhooks:read'],
  'GET /api/v2/webhook-events/summary-by-date': ['webhooks:read'],
  'GET /api/v2/campaigns': ['campaigns:read'],
  'POST /api/v2/campaigns': ['campaigns:create'],
  'GET /api/v2/campaigns/{id}': ['campaigns:read'],
  'PATCH /api/v2/campaigns/{id}': ['campaigns:update'],
  'POST /api/v2/lead/add': ['leads:create'],
  'GET /api/v2/lead/get': ['leads:read'],
  'POST /api/v2/lead/update/status': ['leads:update'],
}

/** Contact acquisition goes by the plan. */
const acquisition = [
  'POST /api/v1/leadbank/find',
  'POST /api/v1/leadbank/acquire_email',
  'GET /api/v1/leadbank/balance/get',
  'GET /api/v1/leadbank/acquire-lists',
  'GET /api/v1/leadbank/acquire-lists/{list_id}/leads',
  'GET /leadbank/api/v1/company/{company_id}',
]

test('it holds exactly the public paths, each with the scopes it needs', () => {
  const described = listOperations(document).map(({ method, path, operation }) => [
    `${method} ${path}`,
    operation.security?.flatMap((each) => each.serviceAccountKey),
  ])
  expect(Object.fromEntries(described)).toEqual({
    ...required,
    ...Object.fromEntries(acquisition.map((name) => [name, []])),
  })
})

test('it is valid OpenAPI 3.1', async () => {
  const result = await new Validator().validate({ ...structuredClone(document) })
  expect(result.errors).toBeUndefined()
  expect(result.valid).toBe(true)
  expect(document.openapi).toBe('3.1.0')
})

test('a body is required where something in it is, and may be missing elsewhere', async () => {
  const posts = listOperations(document).filter(
    ({ method, operation }) => method === 'POST' && operation.requestBody,
  )
  for (const { path, operation } of posts) {
    const { status, body } = await api.call('POST', path)
    const missing = status === 400 && body.details.some(({ path }: { path: string }) => path !== '')
    expect([path, operation.requestBody?.required]).toEqual([path, missing])
  }
  expect(posts.map(({ operation }) => operation.requestBody?.required)).toContain(false)
})

test('campaigns and leads are served at API_URL, everything else at BASE_URL', () => {
  expect(document.servers).toEqual([{ url: 'https://api.example.com/outreach' }])
  const elsewhere = Object.entries(document.paths).filter(([, item]) => item.servers)
  expect(elsewhere.map(([path]) => path.split('/')[3])).toEqual(
    Object.keys(document.paths)
      .map((path) => path.split('/')[3])
      .filter((name) => name === 'campaigns' || name === 'lead'),
  )
  for (const [, { servers }] of elsewhere) {
    expect(servers).toEqual([{ url: 'https://leads.example.com' }])
  }
})

test('no path names a server of its own where one address serves everything', async () => {
  await using plain = await testApi()
  const { servers, paths } = await readDocument(plain.app)
  expect(servers).toEqual([{ url: plain.ctx.config.baseUrl }])
  expect(Object.values(paths).filter((item) => item.servers)).toEqual([])
})

test('nothing of it is left unexplained', () => {
  const unexplained = [
    ...Object.entries(document.components.schemas)
      .filter(([, schema]) => !schema.description || !schema.examples?.length)
      .map(([name]) => name),
    ...listOperations(document).flatMap(({ id, operation, parameters }) => [
      ...(operation.summary && operation.description ? [] : [id]),
      ...parameters.filter((each) => !each.description).map((each) => `${id} ${each.name}`),
      ...Object.entries(operation.responses)
        .filter(
          ([, response]) => !resolve<{ description?: string }>(document, response).description,
        )
        .map(([status]) => `${id} ${status}`),
    ]),
    ...document.tags.filter((tag) => !tag.description).map((tag) => tag.name),
  ]
  expect(unexplained).toEqual([])
})

test('every operation has a tag that is described, and an id of its own', () => {
  const names = document.tags.map((tag) => tag.name)
  const operations = listOperations(document)
  for (const { id, operation } of operations)
    expect([id, names]).toEqual([id, expect.arrayContaining(operation.tags)])
  expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length)
})

test('every body is a named component', () => {
  const bodies = listOperations(document).flatMap(({ id, operation }) => [
    ...Object.entries(operation.requestBody?.content ?? {}).map(([, media]) => [id, media.schema]),
    ...Object.values(operation.responses).map((response) => [
      id,
      resolve<{ content?: Record<string, { schema: JsonSchema }> }>(document, response).content?.[
        'application/json'
      ]?.schema,
    ]),
  ])
  const anonymous = bodies.filter(([, schema]) => !(schema as JsonSchema | undefined)?.$ref)
  expect(anonymous).toEqual([])
})

test('every status of the closed set is documented with each of its codes', () => {
  const responses = Object.values(document.components.responses ?? {})
  const shown = responses.flatMap((response) =>
    Object.values(response.content?.['application/json']?.examples ?? {}).map(
      ({ value }) => value as { code: string; statusCode: number },
    ),
  )
  expect(Object.fromEntries(shown.map(({ code, statusCode }) => [code, statusCode]))).toEqual(
    statusOf,
  )
})

test('no keyword of our own validator is shown, and every reference leads somewhere', () => {
  const keys = new Set<string>()
  const refs = new Set<string>()
  const walk = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, member] of Object.entries(value)) {
      keys.add(key)
      if (key === '$ref') refs.add(String(member))
      walk(member)
    }
  }
  walk(document)
  expect([...keys].filter((key) => key.startsWith('x-'))).toEqual(['x-plan'])
  expect(keys).not.toContain('$id')
  for (const $ref of refs) expect(resolve(document, { $ref })).toBeTypeOf('object')
})

describe('examples are valid', () => {
  test('of each component', () => {
    const problems = Object.entries(document.components.schemas).flatMap(([name, { examples }]) =>
      (examples ?? []).flatMap((example) =>
        judge
          .problemsWith({ $ref: `#/components/schemas/${name}` }, example)
          .map((text) => `${name} ${text}`),
      ),
    )
    expect(problems).toEqual([])
  })

  test('of each request, response and event', () => {
    const messages = [
      ...listOperations(document).flatMap(({ operation }) => [operation.requestBody]),
      ...Object.values(document.components.responses ?? {}),
      ...Object.values(document.webhooks).map(({ post }) => post?.requestBody),
    ]
    const problems = messages.flatMap((message) => {
      const media = message?.content?.['application/json']
      if (!media) return []
      const values = Object.values(media.examples ?? {}).map(({ value }) => value)
      return [...values, ...(media.example === undefined ? [] : [media.example])].flatMap((value) =>
        judge.problemsWith(media.schema, value),
      )
    })
    expect(problems).toEqual([])
  })

  test('of each field, parameter and header', () => {
    const shown: string[] = []
    const problems: string[] = []
    const check = (place: string, examples: unknown[]) => {
      shown.push(place)
      const found = examples.flatMap((example) => judge.problemsWith({ $ref: place }, example))
      problems.push(...found.map((problem) => `${place} ${problem}`))
    }
    const walk = (place: string, value: unknown) => {
      if (typeof value !== 'object' || value === null) return
      const { schema, example, examples } = value as { schema?: object } & JsonSchema
      if (schema && example !== undefined) check(`${place}/schema`, [example])
      if (Array.isArray(examples)) check(place, examples)
      for (const [name, member] of Object.entries(value)) {
        const key = encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))
        if (name !== 'example' && name !== 'examples') walk(`${place}/${key}`, member)
      }
    }
    walk('#', document)
    expect(problems).toEqual([])
    expect(shown).toContain('#/components/headers/Retry-After/schema')
    expect(shown).toContain('#/components/schemas/Lead/properties/skip_reason')
    expect(shown).toContain('#/webhooks/email.sent/post/parameters/0/schema')
  })
})

test('the examples of requests are accepted as they stand, once the records they name are there', async () => {
  api.ctx.lookup = async () => ['203.0.113.7']
  const requests = listOperations(document).flatMap(({ id, method, path, operation }) =>
    Object.values(operation.requestBody?.content?.['application/json']?.examples ?? {}).map(
      ({ value }) => ({ id, method, path, body: value as Record<string, unknown> }),
    ),
  )
  expect(requests.length).toBeGreaterThan(8)
  const inPath = await makeNamedRecords(requests.map(({ body }) => body))
  for (const { id, method, path, body } of requests) {
    const url = path.replace(/(.*)\/\{id\}/, (_all, list) => `${list}/${inPath[list]}`)
    const answer = await api.call(method, url, { body })
    expect([id, answer.status, answer.body]).toEqual([
      id,
      expect.toBeOneOf([200, 201]),
      answer.body,
    ])
  }
})

/**
 * Makes what the examples name by id and no example makes: a campaign that may start, and a contact.
 *
 * @returns the ids for the paths, by that of the list
 */
async function makeNamedRecords(bodies: Record<string, unknown>[]) {
  const idIn = (name: string) => String(bodies.find((body) => body[name])?.[name])
  const campaignId = idIn('campaign_id')
  const { address } = await createMailbox(api.ctx, api.workspaceId)
  const ready = { name: 'ready', sequences: oneStep, email_list: [address] }
  await createCampaign({ ...api.ctx, newId: () => campaignId }, api.workspaceId, ready)
  await insertPerson(api.ctx, { id: idIn('contact_id') })
  const hook = { name: 'n', target_hook_url: 'https://example.com/', event_type: 'all_events' }
  const webhook = await api.call('POST', '/api/v2/webhooks', { body: hook })
  return { '/api/v2/campaigns': campaignId, '/api/v2/webhooks': webhook.body.id } as Record<
    string,
    string
  >
}

describe('the document refuses what the service refuses', () => {
  const contact_id = '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d'
  const timed = (from: string, to: string) => ({
    campaign_schedule: {
      schedules: [{ timing: { from, to }, days: { 1: true }, timezone: 'UTC' }],
    },
  })
  const hook = { target_hook_url: 'https://example.com/', name: 'n', event_type: 'all_events' }
  test.each<[component: string, body: object, url: string]>([
    ['ServiceAccountKeyInput', { name: 'n', scopes: ['leads:fly'] }, '/oauth/service-accounts'],
    [
      'ServiceAccountKeyInput',
      { name: 'n', scopes: ['leads:read', 'leads:read'] },
      '/oauth/service-accounts',
    ],
    [
      'AcquireEmail',
      { contact_id, list_id: contact_id, list_name: 'x' },
      '/api/v1/leadbank/acquire_email',
    ],
    ...[
      { signing_secret: 'whsec_short' },
      { target_hook_url: 'ftp://example.com/' },
      { target_hook_url: 'https://user@example.com/' },
      { target_hook_url: 'https://example.com/#part' },
      { headers: { 'not a token': 'x' } },
      { headers: { 'X-Long': 'x'.repeat(4097) } },
      { name: 'a\u202eb' },
      { event_type: '' },
    ].map((wrong): [string, object, string] => [
      'WebhookInput',
      { ...hook, ...wrong },
      '/api/v2/webhooks',
    ]),
    ...[
      timed('24:00', '24:00'),
      timed('9:00', '17:00'),
      timed('09:60', '17:00'),
      timed('09:00', '24:01'),
      { campaign_schedule: { schedules: [] } },
      { daily_limit: 0 },
      { email_gap: 1441 },
      { expire_after_days: 3651 },
      { cc_list: Array.from({ length: 21 }, () => 'a@example.com') },
      { sequences: [{ steps: [{ variants: [{ subject: 'x'.repeat(501), body: 'x' }] }] }] },
    ].map((wrong): [string, object, string] => [
      'CampaignInput',
      { name: 'n', ...wrong },
      '/api/v2/campaigns',
    ]),
    ...[0, 1001].map((length): [string, object, string] => [
      'AddLeads',
      { campaign_id: contact_id, leads: Array.from({ length }, () => ({ email: 'a@b.example' })) },
      '/api/v2/lead/add',
    ]),
    ['FindContacts', { query: 'x'.repeat(501) }, '/api/v1/leadbank/find'],
    ['FindContacts', { employee_count: { min: -1 } }, '/api/v1/leadbank/find'],
  ])('%s %j', async (component, body, url) => {
    const schema = { $ref: `#/components/schemas/${component}` }
    expect(judge.problemsWith(schema, body)).not.toEqual([])
    expect((await api.call('POST', url, { body })).status).toBe(400)
  })

  const today = testInstant().toISOString().slice(0, 10)
  const events = 'listWebhookEvents'
  const summary = 'getWebhookEventSummary'
  const parameters: [id: string, name: string, refused: string[], taken: string[]][] = [
    [
      events,
      'from',
      [
        '',
        'yesterday',
        '2026-2-03',
        '2026-11-20 09:00:00Z',
        '2026-11-20T09:00',
        '2026-11-20T9:00Z',
      ],
      ['2026-11-20', '2026-11-20T09:00Z', '2026-11-20T09:00:00.123456789+01:00'],
    ],
    [events, 'to', ['20261120', '2026-11-20T09:00:60Z'], ['2026-11-20T09:00:59Z']],
    [events, 'starting_after', ['1'], ['019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d']],
    [events, 'limit', ['0', '101', '1.5', 'x'], ['1', '100']],
    ...['from', 'start_date'].map((name): (typeof parameters)[number] => [
      summary,
      name,
      ['', '26-11-20', '2026-13-01', '2026-11-32', '0009-11-20', '2026-11-20T09:00Z'],
      [today],
    ]),
    ...['to', 'end_date'].map((name): (typeof parameters)[number] => [
      summary,
      name,
      ['2026-00-01', '2026-11-00'],
      [],
    ]),
    ['listCampaigns', 'search', ['x'.repeat(256)], ['x'.repeat(255)]],
    [
      'createServiceAccountKey',
      'Idempotency-Key',
      ['"open', '"a\\b"', '"a"b"', 'x'.repeat(256)],
      ['bare key', '"a \\"quoted\\" key"', 'x'.repeat(255)],
    ],
  ]
  test.each(parameters)('%s %s', async (id, name, refused, taken) => {
    const described = listOperations(document).find((each) => each.id === id)
    const parameter = described?.parameters.find((each) => each.name === name)
    if (!described || !parameter) throw new Error(`${id} has no ${name}.`)
    const { method, path } = described
    const isNumber = parameter.schema.type === 'integer'
    const told = (text: string) => judge.allows(parameter.schema, isNumber ? Number(text) : text)
    const answered = async (text: string) => {
      const url =
        parameter.in === 'query' ? `${path}?${new URLSearchParams({ [name]: text })}` : path
      const headers = parameter.in === 'header' ? { [name]: text } : {}
      const body = method === 'POST' ? { name: 'n', scopes: ['leads:read'] } : undefined
      const { status } = await api.call(method, url, { headers, ...(body ? { body } : {}) })
      return status < 300
    }
    for (const [texts, isTaken] of [
      [refused, false],
      [taken, true],
    ] as const) {
      for (const text of texts) {
        expect([text, told(text), await answered(text)]).toEqual([text, isTaken, isTaken])
      }
    }
  })

  test('and takes what it takes', () => {
    const webhook = { $ref: '#/components/schemas/WebhookInput' }
    const secrets = [24, 25, 26, 63, 64].map(
      (bytes) => `whsec_${Buffer.alloc(bytes, 7).toString('base64')}`,
    )
    for (const signing_secret of secrets) {
      expect(judge.problemsWith(webhook, { ...hook, signing_secret })).toEqual([])
    }
    const urls = ['HTTP://127.0.0.1:80', 'https://example.com?a=@', 'http://[::1]/x?y']
    for (const target_hook_url of urls) {
      expect(judge.problemsWith(webhook, { ...hook, target_hook_url })).toEqual([])
    }
    const key = { $ref: '#/components/schemas/ServiceAccountKeyInput' }
    const scopes = ['all:*', '*:all', 'service-accounts:read', 'service_accounts:create']
    expect(judge.problemsWith(key, { name: 'n', scopes })).toEqual([])
  })
})

test('generators of clients meet nothing that one of them is known to refuse', () => {
  const { schemas } = document.components
  // Go's constructors are called New…
  expect(Object.keys(schemas).filter((name) => name.startsWith('New'))).toEqual([])
  expect(Object.keys(document.webhooks).filter((name) => /[{}]/.test(name))).toEqual([])
  // Java sends null for a field without a type that nobody set; Go rounds a number without a format.
  const vague = Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
    Object.entries(properties)
      .filter(([, { type, $ref, anyOf }]) => !type && !$ref && !anyOf)
      .map(([field]) => `${name}.${field}`),
  )
  expect(vague).toEqual([])
  const rounded: unknown[] = []
  const unions: unknown[] = []
  const walk = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    const { type, format } = value as JsonSchema
    if ([type].flat().includes('number') && format !== 'double') rounded.push(value)
    if (Array.isArray(type) && type.filter((each) => each !== 'null').length > 1) unions.push(value)
    for (const member of Object.values(value)) walk(member)
  }
  walk(schemas)
  expect(unions).toEqual([])
  expect(rounded).toEqual([])
})

test('what a request may leave out has its default in words, so that no client requires or freezes it', () => {
  const found: string[] = []
  const walk = (value: unknown, place: string) => {
    if (typeof value !== 'object' || value === null) return
    const schema = resolve<object>(document, value)
    if ('default' in schema) found.push(place)
    for (const [name, member] of Object.entries(schema)) {
      if (name !== 'examples') walk(member, `${place}/${name}`)
    }
  }
  for (const { id, operation } of listOperations(document)) {
    walk(operation.requestBody?.content['application/json']?.schema, id)
  }
  expect(found).toEqual([])
  const { CampaignInput, CampaignSchedule } = document.components.schemas
  expect(CampaignInput?.properties?.email_gap?.description).toMatch(/\. `5` when left out\.$/)
  expect(CampaignInput?.required).toEqual(['name'])
  expect(CampaignSchedule?.properties?.start_date).toHaveProperty('default')
})

test('it is served without a key', async () => {
  const answer = await api.call('GET', '/openapi.json', { key: null })
  expect(answer.status).toBe(200)
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(answer.body).toEqual(document)
})
