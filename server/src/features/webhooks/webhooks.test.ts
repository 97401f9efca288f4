import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { failure, insertAttempt } from '../../../test/webhook-event-rows.ts'
import { firstIdAt } from '../../kernel/ids.ts'
import { mask } from './headers.ts'
import { dropUnusedUrls } from './webhooks.ts'

const path = '/api/v2/webhooks'
const url = 'https://hooks.example.com/in'
const minimal = { target_hook_url: url, name: 'CRM', event_type: 'lead.interested' }

let api: TestApi
let campaignId: string

beforeAll(async () => {
  api = await testApi()
  campaignId = await insertCampaign(api, api.workspaceId)
})
afterAll(() => api[Symbol.asyncDispose]())
beforeEach(() => {
  api.ctx.lookup = async () => ['203.0.113.7']
})

const create = (body: object, options: object = {}) =>
  api.call('POST', path, { body: { ...minimal, ...body }, ...options })

describe('creating', () => {
  test('answers the whole record, with a signing secret that no later answer holds', async () => {
    const { status, body } = await create({})
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      ...minimal,
      campaign: null,
      custom_interest_value: null,
      headers: {},
      status: 'active',
      disabled_reason: null,
      organization: api.workspaceId,
      timestamp_created: api.ctx.now().toISOString(),
      timestamp_updated: api.ctx.now().toISOString(),
      timestamp_disabled: null,
      signing_secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
    })
    const { signing_secret, ...record } = body
    const read = await api.call('GET', `${path}/${body.id}`)
    expect(read.body).toEqual(record)
    const list = await api.call('GET', path)
    expect(list.body.items[0]).toEqual(record)
    expect(JSON.stringify([read.body, list.body])).not.toContain(signing_secret)
  })

  test('takes everything it may be given, and answers the URL byte for byte', async () => {
    const secret = `whsec_${randomBytes(24).toString('base64')}`
    const given = {
      target_hook_url: 'HTTPS://Hooks.Example.com:443/a/../b?q=%7e',
      name: 'Ünïcode',
      event_type: 'all_events',
      custom_interest_value: null,
      campaign: campaignId,
      headers: { Authorization: 'Bearer receiver', 'X-Tenant': '7' },
      signing_secret: secret,
    }
    const { status, body } = await create({
      ...given,
      target_hook_url: ` ${given.target_hook_url}\n`,
      name: ' Ünïcode ',
      campaign: campaignId.toUpperCase(),
    })
    expect(status).toBe(201)
    expect(body).toMatchObject(given)
    const read = await api.call('GET', `${path}/${body.id}`)
    expect(read.body.headers).toEqual({ Authorization: mask, 'X-Tenant': mask })
  })

  test('two alike are two', async () => {
    const [first, second] = [await create({}), await create({})]
    expect([first.status, second.status]).toEqual([201, 201])
    expect(first.body.id).not.toBe(second.body.id)
  })

  test('a repeated request is answered alike but for its secrets', async () => {
    const headers = { 'idempotency-key': 'webhook-1' }
    const first = await create({ headers: { 'X-Token': 'receiver' } }, { headers })
    const second = await create({ headers: { 'X-Token': 'receiver' } }, { headers })
    expect(first.body).toMatchObject({ headers: { 'X-Token': 'receiver' } })
    expect(second.status).toBe(201)
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(second.body).toEqual({
      ...first.body,
      signing_secret: null,
      headers: { 'X-Token': mask },
    })
  })

  test.each([
    ['no target', { target_hook_url: null }, '/target_hook_url'],
    ['no name', { name: null }, '/name'],
    ['no event type', { event_type: null }, '/event_type'],
    ['an empty name', { name: '  ' }, '/name'],
    ['a long name', { name: 'a'.repeat(256) }, '/name'],
    ['a target that is no URL', { target_hook_url: 'hooks' }, '/target_hook_url'],
    ['a target of the wrong type', { target_hook_url: 7 }, '/target_hook_url'],
    ['an unknown event type', { event_type: 'lead.unknown' }, '/event_type'],
    ['an event type in another case', { event_type: 'Lead.Interested' }, '/event_type'],
    ['the type of a label there is not', { event_type: 'lead.label.1' }, '/event_type'],
    ['a value with a standard type', { custom_interest_value: 'hot' }, '/custom_interest_value'],
    ['an unknown campaign', { campaign: '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d' }, '/campaign'],
    ['a campaign that is no UUID', { campaign: 'x' }, '/campaign'],
    ['a reserved header', { headers: { Host: 'a' } }, '/headers'],
    ['an empty secret', { signing_secret: '' }, '/signing_secret'],
    ['a masked header', { headers: { 'X-A': mask } }, '/headers'],
    ['a header that is no text', { headers: { 'X-A': 1 } }, '/headers/X-A'],
    ['headers in a list', { headers: ['X-A'] }, '/headers'],
    ['a short secret', { signing_secret: 'whsec_c2hvcnQ=' }, '/signing_secret'],
  ])('%s is a 400 that names the field', async (_what, body, field) => {
    const answer = await create(body)
    expect(answer.status).toBe(400)
    expect(answer.body.code).toBe('invalid_field')
    expect(answer.body.details.map((detail: { path: string }) => detail.path)).toContain(field)
  })

  test('every wrong field is named at once, and nothing sent is echoed', async () => {
    const secret = 'whsec_dG9vIHNob3J0'
    const answer = await create({
      target_hook_url: 'https://user:hunter2@example.com/',
      headers: { 'X-A': 'one\ntwo' },
      signing_secret: secret,
    })
    expect(answer.status).toBe(400)
    expect(answer.body.details).toHaveLength(3)
    expect(JSON.stringify(answer.body)).not.toMatch(/hunter2|one\\ntwo|dG9v/)
  })

  test('a field of the record that cannot be given is unknown', async () => {
    const answer = await create({ status: 'active' })
    expect(answer.body).toMatchObject({ statusCode: 400, code: 'unknown_field' })
  })

  test('the 10,001st of a workspace is refused until one is deleted', async () => {
    const stranger = await api.createStranger()
    await fill(stranger.workspaceId, 9_999)
    const last = await create({}, { key: stranger.key })
    expect(last.status).toBe(201)
    const refused = await create({}, { key: stranger.key })
    expect([refused.status, refused.body.code]).toEqual([429, 'quota_exceeded'])
    await api.call('DELETE', `${path}/${last.body.id}`, { key: stranger.key })
    expect((await create({}, { key: stranger.key })).status).toBe(201)
  })
})

describe('the address policy is asked', () => {
  let guarded: TestApi
  beforeAll(async () => {
    guarded = await testApi({ outbound: { mode: 'public', allow: [] } })
  })
  afterAll(() => guarded[Symbol.asyncDispose]())

  const createGuarded = (target_hook_url: string, addresses: () => Promise<string[]>) => {
    guarded.ctx.lookup = addresses
    return guarded.call('POST', path, { body: { ...minimal, target_hook_url } })
  }

  test.each([
    ['a loopback literal', 'http://127.0.0.1/', []],
    ['one in another notation', 'http://0x7f.1/', []],
    ['the metadata address', 'http://[::ffff:169.254.169.254]/', []],
    ['a name with only private addresses', 'http://internal.example.com/', ['10.0.0.1', '::1']],
  ])('%s is refused', async (_what, target, addresses) => {
    const answer = await createGuarded(target, async () => addresses)
    expect([answer.status, answer.body.code]).toEqual([400, 'target_not_allowed'])
    expect(answer.body.details[0].path).toBe('/target_hook_url')
    expect(answer.body.message).not.toContain('10.0.0')
    expect(answer.body.message).toContain('opens no link-local or metadata address')
  })

  test.each([
    ['a public address among them', async () => ['10.0.0.1', '93.184.216.34']],
    ['no answer', async () => []],
    ['a look-up that fails', () => Promise.reject(new Error('SERVFAIL'))],
  ])('a name with %s passes', async (_what, addresses) => {
    expect((await createGuarded('https://name.example.com/', addresses)).status).toBe(201)
  })

  test('before any transaction holds a row or a connection', async () => {
    const idle: number[] = []
    const answer = await createGuarded('https://name.example.com/', async () => {
      idle.push(guarded.ctx.database.pool.totalCount - guarded.ctx.database.pool.idleCount)
      return ['93.184.216.34']
    })
    expect(answer.status).toBe(201)
    expect(idle).toEqual([0])
  })

  test('but not of one that leads there by now and is sent back as it was read', async () => {
    const { body } = await createGuarded('https://name.example.com/', async () => ['93.184.216.34'])
    guarded.ctx.lookup = async () => ['10.0.0.1']
    const { signing_secret: _, ...record } = body
    const changes = { ...record, status: 'disabled' }
    const paused = await guarded.call('PATCH', `${path}/${body.id}`, { body: changes })
    expect([paused.status, paused.body.status]).toEqual([200, 'disabled'])
    const unknown = await guarded.call('PATCH', `${path}/${guarded.ctx.newId()}`, {
      body: { target_hook_url: 'http://10.0.0.1/' },
    })
    expect(unknown.status).toBe(404)
  })

  test('when the target of an existing one is changed, too', async () => {
    const { body } = await createGuarded('https://name.example.com/', async () => [])
    const refused = await guarded.call('PATCH', `${path}/${body.id}`, {
      body: { target_hook_url: 'http://10.0.0.1/' },
    })
    expect([refused.status, refused.body.code]).toEqual([400, 'target_not_allowed'])
    const read = await guarded.call('GET', `${path}/${body.id}`)
    expect(read.body.target_hook_url).toBe('https://name.example.com/')
  })
})

describe('listing', () => {
  test('walks every destination once, newest first, and only those of a filter', async () => {
    const { workspaceId, key } = await api.createStranger()
    const campaign = await insertCampaign(api, workspaceId)
    const ids: string[] = []
    for (const body of [{}, { campaign }, { event_type: 'email.sent' }, { campaign }, {}]) {
      ids.unshift((await create(body, { key })).body.id)
    }
    const list = async (query: string) => (await api.call('GET', `${path}?${query}`, { key })).body
    const first = await list('limit=2')
    const second = await list(`limit=2&starting_after=${first.next_starting_after}`)
    const third = await list(`limit=2&starting_after=${second.next_starting_after}`)
    expect(third).not.toHaveProperty('next_starting_after')
    const walked = [first, second, third].flatMap((page) => page.items)
    expect(walked.map((item) => item.id)).toEqual(ids)

    const idsOf = async (query: string) =>
      (await list(query)).items.map((item: { id: string }) => item.id)
    expect(await idsOf(`campaign=${campaign}`)).toEqual([ids[1], ids[3]])
    await api.call('PATCH', `${path}/${ids[3]}`, { key, body: { status: 'disabled' } })
    expect(await idsOf(`campaign=${campaign.toUpperCase()}&limit=1`)).toEqual([ids[1]])
    expect(await idsOf(`campaign=${campaign}`)).toEqual([ids[1], ids[3]])
    expect(await idsOf('event_type=email.sent')).toEqual([ids[2]])
    expect(await idsOf(`event_type=email.sent&campaign=${campaign}`)).toEqual([])
    expect(await idsOf('event_type=no.such.type')).toEqual([])
  })

  test.each(['campaign=x', 'campaign=', 'event_type=', 'limit=0', 'starting_after=x'])(
    '?%s is a 400',
    async (query) => {
      expect((await api.call('GET', `${path}?${query}`)).status).toBe(400)
    },
  )
})

test.each(['PATCH', 'PUT', 'DELETE', 'POST'])(
  '%s of the event types is a path that answers other methods, and no webhook that is not there',
  async (method) => {
    const answer = await api.call(method, `${path}/event-types`, { body: {} })
    expect([answer.status, answer.body.code]).toEqual([404, 'unknown_path'])
    expect(answer.headers.allow).toBe('GET, HEAD')
  },
)

test('a list where an object is wanted is told as such', async () => {
  const answer = await create({ headers: [] })
  expect(answer.body).toMatchObject({ statusCode: 400, message: 'headers must be an object' })
})

describe('deleting', () => {
  test('answers the destination as it was, and it is gone', async () => {
    const { body } = await create({ headers: { 'X-A': '1' } })
    const { signing_secret: _, ...record } = body
    const deleted = await api.call('DELETE', `${path}/${body.id}`)
    expect(deleted.status).toBe(200)
    expect(deleted.body).toEqual({ ...record, headers: { 'X-A': mask } })
    for (const method of ['GET', 'DELETE', 'PATCH']) {
      const after = await api.call(method, `${path}/${body.id}`, {
        ...(method === 'PATCH' ? { body: {} } : {}),
      })
      expect([after.status, after.body.code]).toEqual([404, 'not_found'])
    }
  })

  test('keeps every URL it had, by which its attempts are found', async () => {
    const { body } = await create({ target_hook_url: 'https://one.example.com/' })
    const second = { target_hook_url: 'https://two.example.com/' }
    await api.call('PATCH', `${path}/${body.id}`, { body: second })
    await api.call('DELETE', `${path}/${body.id}`)
    const rows = await api.ctx.db
      .selectFrom('webhook_urls')
      .select('url')
      .where('workspace_id', '=', api.workspaceId)
      .where('webhook_id', '=', body.id)
      .orderBy('url')
      .execute()
    expect(rows.map((row) => row.url)).toEqual([
      'https://one.example.com/',
      'https://two.example.com/',
    ])
  })
})

test('another workspace neither sees nor changes a destination', async () => {
  const { body } = await create({})
  const { key, workspaceId } = await api.createStranger()
  for (const method of ['GET', 'DELETE', 'PATCH']) {
    const answer = await api.call(method, `${path}/${body.id}`, {
      key,
      ...(method === 'PATCH' ? { body: { name: 'mine' } } : {}),
    })
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
  }
  expect((await api.call('GET', path, { key })).body).toEqual({ items: [] })
  const foreign = await create({ campaign: campaignId }, { key })
  expect([foreign.status, foreign.body.code]).toEqual([400, 'invalid_field'])
  expect(workspaceId).not.toBe(api.workspaceId)
})

test.each([
  ['GET', '', 'webhooks:read'],
  ['GET', '/event-types', 'webhooks:read'],
  ['GET', '/:id', 'webhooks:read'],
  ['POST', '', 'webhooks:create'],
  ['PATCH', '/:id', 'webhooks:update'],
  ['DELETE', '/:id', 'webhooks:delete'],
])('%s %s needs %s and no other scope', async (method, suffix, scope) => {
  const { body } = await create({})
  const others = ['read', 'create', 'update', 'delete']
    .map((action) => `webhooks:${action}`)
    .filter((other) => other !== scope)
  const target = `${path}${suffix.replace(':id', body.id)}`
  const send = async (scopes: string[]) =>
    api.call(method, target, {
      key: await api.createKey(scopes),
      ...(method === 'POST' ? { body: minimal } : method === 'PATCH' ? { body: {} } : {}),
    })
  expect((await send([...others, 'campaigns:all'])).body.code).toBe('missing_scope')
  expect((await send([scope])).status).toBeLessThan(300)
})

test('what is done is in the audit log, without a URL, a header or a secret', async () => {
  const headers = { 'X-Token': 'receiver-token' }
  const { body } = await create({ target_hook_url: 'https://a.example.com/?t=hidden', headers })
  const patch = (changes: object) => api.call('PATCH', `${path}/${body.id}`, { body: changes })
  await patch({ name: 'New', signing_secret: null, status: 'disabled' })
  await patch({ status: 'active' })
  await patch({})
  await api.call('DELETE', `${path}/${body.id}`)
  const entries = await api.ctx.db
    .selectFrom('audit_log')
    .selectAll()
    .where('workspace_id', '=', api.workspaceId)
    .where('subject_id', '=', body.id)
    .orderBy('id')
    .execute()
  expect(entries.map(({ action, details }) => [action, details])).toEqual([
    ['webhook.created', { event_type: 'lead.interested' }],
    ['webhook.updated', { fields: ['name', 'signing_secret'] }],
    ['webhook.disabled', { reason: 'manual' }],
    ['webhook.enabled', {}],
    ['webhook.deleted', {}],
  ])
  expect(entries.every((entry) => entry.actor_type === 'key' && entry.request_id)).toBe(true)
  expect(JSON.stringify([entries, api.ctx.logLines])).not.toMatch(/hidden|receiver-token|whsec_/)
})

/** Rows that only have to be there. */
describe('addresses that webhooks had', () => {
  const urlOf = (name: string) => `https://${name}.example.com/`
  const namesOf = async (id: string) => {
    const rows = await api.ctx.db
      .selectFrom('webhook_urls')
      .select('url')
      .where('workspace_id', '=', api.workspaceId)
      .where('webhook_id', '=', id)
      .orderBy('url')
      .execute()
    return rows.map(({ url }) => new URL(url).hostname.split('.')[0])
  }
  const move = (id: string, name: string) =>
    api.call('PATCH', `${path}/${id}`, { body: { target_hook_url: urlOf(name) } })
  const drop = () => dropUnusedUrls(api.ctx, api.workspaceId)

  test('go a day later when no attempt at them is kept and nothing waits', async () => {
    const { body: kept } = await create({ target_hook_url: urlOf('unused') })
    for (const name of ['failed', 'reached', 'current']) await move(kept.id, name)
    const { body: waiting } = await create({ target_hook_url: urlOf('waiting') })
    const [reached, failed] = ['reached', 'failed'].map((name) => ({
      webhook_id: kept.id,
      webhook_url: urlOf(name),
    }))
    await insertAttempt(api.ctx, api.workspaceId, reached)
    const { event_id = '' } = await insertAttempt(api.ctx, api.workspaceId, {
      ...failure,
      ...failed,
    })
    const { peek } = api.ctx.database
    const now = api.ctx.now()
    const delivery = { bucket: 1, webhook_id: waiting.id, event_id, due_at: now, expires_at: now }
    await peek
      .insertInto('deliveries')
      .values({ workspace_id: api.workspaceId, id: api.ctx.newId(), ...delivery })
      .execute()
    await api.call('DELETE', `${path}/${waiting.id}`)
    const all = ['current', 'failed', 'reached', 'unused']
    await drop()
    expect(await namesOf(kept.id)).toEqual(all)

    api.ctx.clock.advance(86_400_001)
    const fanout = { bucket: 1, event_id, webhook_ids: [kept.id], due_at: now, expires_at: now }
    await peek
      .insertInto('fanouts')
      .values({ workspace_id: api.workspaceId, ...fanout })
      .execute()
    await drop()
    expect(await namesOf(kept.id)).toEqual(all)
    await peek.deleteFrom('fanouts').execute()
    await drop()
    expect(await namesOf(kept.id)).toEqual(['current', 'failed', 'reached'])
    expect(await namesOf(waiting.id)).toEqual(['waiting'])
    await peek.deleteFrom('deliveries').execute()
    await drop()
    expect(await namesOf(waiting.id)).toEqual([])
  })

  test('are at most a thousand of each, and those that it had already may come back', async () => {
    const { body } = await create({ target_hook_url: urlOf('first') })
    await insertUrls(`'${body.id}'`, 999)
    const refused = await move(body.id, 'new')
    expect([refused.status, refused.body.code]).toEqual([429, 'quota_exceeded'])
    expect((await move(body.id, 'n7')).status).toBe(200)
    expect((await move(body.id, 'first')).status).toBe(200)
  })

  test('of more than 20,000 webhooks are not made in a day, whether or not they are deleted', async () => {
    const day = firstIdAt(api.ctx.now()).slice(0, 24)
    await insertUrls(`'${day}' || lpad(n::text, 12, '0')`, 20_000)
    const refused = await create({})
    expect([refused.status, refused.body.code]).toEqual([429, 'quota_exceeded'])
    api.ctx.clock.advance(86_400_001)
    expect((await create({})).status).toBe(201)
  })

  const insertUrls = (webhookId: string, count: number) =>
    sql`
      insert into webhook_urls (workspace_id, webhook_id, url, url_hash, timestamp_used)
      select ${api.workspaceId}::uuid, (${sql.raw(webhookId)})::uuid, made.url,
        sha256(made.url::bytea), ${api.ctx.now()}::timestamptz
      from generate_series(1, ${count}::integer) n
      cross join lateral (select 'https://n' || n || '.example.com/' as url) made`.execute(
      api.ctx.db,
    )
})

const fill = (workspaceId: string, count: number) =>
  sql`
    insert into webhooks (workspace_id, id, name, target_hook_url, event_type, secret,
      timestamp_created, timestamp_updated)
    select ${workspaceId}::uuid, lpad(to_hex(n), 32, '0')::uuid, 'n', ${url}, 'email.sent', ''::bytea,
      ${api.ctx.now()}::timestamptz, ${api.ctx.now()}::timestamptz
    from generate_series(1, ${count}::integer) n`.execute(api.ctx.db)

async function insertCampaign({ ctx }: TestApi, workspaceId: string): Promise<string> {
  const id = ctx.newId()
  await sql`
    insert into campaigns (workspace_id, id, name, campaign_schedule, sequences, email_gap,
      random_wait_max, stop_on_reply, stop_on_auto_reply, stop_for_company, open_tracking,
      link_tracking, text_only, first_email_text_only, insert_unsubscribe_header,
      prioritize_new_leads, timestamp_created, timestamp_updated)
    values (${workspaceId}::uuid, ${id}::uuid, 'c', '{}', '[]', 5, 5, true, false, false, false,
      false, false, false, true, false, ${ctx.now()}, ${ctx.now()})`.execute(ctx.db)
  return id
}
