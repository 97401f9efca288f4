import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'

let api: TestApi
beforeAll(async () => {
  api = await testApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const path = '/oauth/service-accounts'
const create = (body: object, key?: string) =>
  api.call('POST', path, { body, ...(key ? { key } : {}) })

describe('creating a key', () => {
  test('shows the secret once and stores only its hash', async () => {
    const created = await create({ name: ' crm ', scopes: ['campaigns:read'] })
    expect(created.status).toBe(201)
    const { id, key, key_prefix } = created.body
    expect(key).toMatch(/^ork_[0-9A-Za-z]{49}$/)
    expect(key.startsWith(key_prefix)).toBe(true)
    expect(created.body).toMatchObject({
      name: 'crm',
      scopes: ['campaigns:read'],
      workspace_id: api.workspaceId,
      status: 'active',
      timestamp_last_used: null,
      created_by: { type: 'key' },
    })
    const list = await api.call('GET', path)
    const listed = list.body.items.find((item: { id: string }) => item.id === id)
    expect(listed).toBeDefined()
    expect(listed).not.toHaveProperty('key')
    const stored = await api.ctx.database.peek.selectFrom('service_accounts').selectAll().execute()
    expect(JSON.stringify(stored)).not.toContain(key)
  })

  test('a name is trimmed before it is measured', async () => {
    const name = 'n'.repeat(255)
    const created = await create({ name: ` ${name}\u00a0`, scopes: ['leads:read'] })
    expect([created.status, created.body.name]).toEqual([201, name])
  })

  const refused: [string, object, string][] = [
    ['no name', { scopes: ['leads:read'] }, '/name'],
    ['an empty name', { name: '  ', scopes: ['leads:read'] }, '/name'],
    ['a name of 256 characters', { name: 'n'.repeat(256), scopes: ['leads:read'] }, '/name'],
    ['a control character', { name: 'a\nb', scopes: ['leads:read'] }, '/name'],
    ['a turned direction', { name: 'a\u202eb', scopes: ['leads:read'] }, '/name'],
    ['a number as name', { name: 7, scopes: ['leads:read'] }, '/name'],
    ['no scopes', { name: 'n', scopes: [] }, '/scopes'],
    ['scopes as text', { name: 'n', scopes: 'leads:read' }, '/scopes'],
    ['an unknown scope', { name: 'n', scopes: ['leads:all', 'leads:fly'] }, '/scopes/1'],
    ['a repeated scope', { name: 'n', scopes: ['leads:all', 'leads:*'] }, '/scopes'],
    ['10,000 scopes', { name: 'n', scopes: Array(10_000).fill('leads:read') }, '/scopes'],
    [
      'a past expiry',
      { name: 'n', scopes: ['leads:read'], timestamp_expires: '2020-01-01T00:00:00Z' },
      '/timestamp_expires',
    ],
    [
      'a date as expiry',
      { name: 'n', scopes: ['leads:read'], timestamp_expires: '2099-01-01' },
      '/timestamp_expires',
    ],
    [
      'an expiry that no calendar knows',
      { name: 'n', scopes: ['leads:read'], timestamp_expires: '2099-02-30T00:00:00Z' },
      '/timestamp_expires',
    ],
    [
      'an expiry in the year 10000 of UTC',
      { name: 'n', scopes: ['leads:read'], timestamp_expires: '9999-12-31T23:59:59-05:00' },
      '/timestamp_expires',
    ],
  ]
  test.each(refused)('refuses %s', async (_what, body, at) => {
    const answer = await create(body)
    expect(answer.status).toBe(400)
    expect(answer.body.code).toBe('invalid_field')
    expect(answer.body.details[0].path).toBe(at)
  })

  test('takes the last expiry that every client can read', async () => {
    const timestamp_expires = '9999-12-31T23:59:59.999Z'
    const { body } = await create({ name: 'n', scopes: ['leads:read'], timestamp_expires })
    expect(body).toMatchObject({ status: 'active', timestamp_expires })
  })

  test('counts a name in code points: 255 astral characters are accepted', async () => {
    expect((await create({ name: '😀'.repeat(255), scopes: ['leads:read'] })).status).toBe(201)
  })

  test('answers scopes exactly as sent', async () => {
    const scopes = ['service-accounts:*', 'webhooks:all']
    expect((await create({ name: 'n', scopes })).body.scopes).toEqual(scopes)
  })

  test('grants only what the creator holds', async () => {
    const key = await api.createKey(['service_accounts:create', 'leads:read'])
    const refusedAnswer = await create({ name: 'n', scopes: ['leads:read', 'leads:create'] }, key)
    expect(refusedAnswer.status).toBe(403)
    expect(refusedAnswer.body.code).toBe('scope_escalation')
    const late = { name: 'n', scopes: ['leads:create'], timestamp_expires: 'tomorrow' }
    const invalid = await create(late, key)
    expect(invalid.status).toBe(400)
    expect(invalid.body.details).toMatchObject([{ path: '/timestamp_expires' }])
    expect((await create({ name: 'n', scopes: ['leads:read'] }, key)).status).toBe(201)
  })

  test('gives a child of an expiring key no longer life', async () => {
    const soon = new Date(api.ctx.now().getTime() + 60_000).toISOString()
    const parent = await create({ name: 'p', scopes: ['all:*'], timestamp_expires: soon })
    const child = await create({ name: 'c', scopes: ['all:*'] }, parent.body.key)
    expect(child.body.timestamp_expires).toBe(soon)
  })

  test('replays an idempotent creation without the secret', async () => {
    const options = {
      body: { name: 'once', scopes: ['leads:read'] },
      headers: { 'idempotency-key': 'create-once' },
    }
    const first = await api.call('POST', path, options)
    const second = await api.call('POST', path, options)
    expect(second.status).toBe(201)
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(second.body).toEqual({ ...first.body, key: null })
  })
})

describe('revoking a key', () => {
  test('holds at once and for good', async () => {
    const { body } = await create({ name: 'leaked', scopes: ['service_accounts:read'] })
    expect((await api.call('GET', path, { key: body.key })).status).toBe(200)
    const revoked = await api.call('DELETE', `${path}/${body.id}`)
    expect(revoked.body).toMatchObject({
      id: body.id,
      status: 'revoked',
      key_prefix: body.key_prefix,
    })
    expect(revoked.body).not.toHaveProperty('key')
    const refused = await api.call('GET', path, { key: body.key })
    expect(refused.status).toBe(401)
    expect(refused.body.code).toBe('revoked_key')
    expect(refused.headers['www-authenticate']).toContain('error="invalid_token"')
    expect((await api.call('DELETE', `${path}/${body.id}`)).status).toBe(404)
  })

  test('a key may revoke itself', async () => {
    const { body } = await create({ name: 'self', scopes: ['service_accounts:delete'] })
    const answer = await api.call('DELETE', `${path}/${body.id.toUpperCase()}`, { key: body.key })
    expect(answer.status).toBe(200)
  })

  test.each(['019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d', 'nonsense', '%00'])(
    'an unknown id (%s) is a 404',
    async (id) => {
      expect((await api.call('DELETE', `${path}/${id}`)).status).toBe(404)
    },
  )

  test("another workspace's key is a 404", async () => {
    const stranger = await api.createStranger()
    const { body } = await create({ name: 'mine', scopes: ['leads:read'] })
    const answer = await api.call('DELETE', `${path}/${body.id}`, { key: stranger.key })
    expect(answer.status).toBe(404)
  })
})

test('an expired key is refused and listed as expired', async () => {
  const expires = new Date(api.ctx.now().getTime() + 1000).toISOString()
  const { body } = await create({ name: 'brief', scopes: ['all:*'], timestamp_expires: expires })
  api.ctx.clock.advance(2000)
  const refused = await api.call('GET', path, { key: body.key })
  expect(refused.body.code).toBe('expired_key')
  const list = await api.call('GET', `${path}?limit=1`)
  expect(list.body.items[0]).toMatchObject({ id: body.id, status: 'expired' })
})

test('walking the list shows every key once, newest first', async () => {
  const stranger = await api.createStranger()
  for (let i = 0; i < 6; i++) await create({ name: `k${i}`, scopes: ['all:*'] }, stranger.key)
  const seen: string[] = []
  let cursor = ''
  do {
    const { body } = await api.call('GET', `${path}?limit=3${cursor}`, { key: stranger.key })
    seen.push(...body.items.map((item: { id: string }) => item.id))
    cursor = body.next_starting_after ? `&starting_after=${body.next_starting_after}` : ''
  } while (cursor)
  expect(seen).toHaveLength(7)
  expect(seen).toEqual([...new Set(seen)].sort().reverse())
})

test('the time of last use is written off the request path, at most once a minute', async () => {
  const { body } = await create({ name: 'used', scopes: ['service_accounts:read'] })
  await api.call('GET', path, { key: body.key })
  const { peek, until } = api.ctx.database
  await until(async () => {
    const keys = peek.selectFrom('service_accounts').selectAll().where('id', '=', body.id)
    return (await keys.executeTakeFirst())?.timestamp_last_used
  })
  const list = await api.call('GET', path)
  expect(list.body.items.find((item: { id: string }) => item.id === body.id)).toMatchObject({
    timestamp_last_used: expect.any(String),
    timestamp_updated: body.timestamp_updated,
  })
})
