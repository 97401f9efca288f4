import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { operator } from '../../src/features/audit/index.ts'
import { createKeyAsOperator, revokeKey } from '../../src/features/keys/index.ts'
import { setPlan } from '../../src/features/workspaces/index.ts'
import { holdsScope } from '../../src/kernel/http/scopes.ts'
import type { Answer } from '../app.ts'
import { describedApi } from './described-api.ts'
import type { Described } from './document.ts'
import { type ApiRequest, foreignRequests, validRequest } from './requests.ts'
import { createWorld, type World } from './world.ts'

const { api, receiver, document, judge, operations } = await describedApi()

const ours = await createWorld(api, api, receiver.url)
const theirs = await createWorld(api, await api.createStranger(), receiver.url)
const limited = await api.createStranger()
await setPlan(api.ctx, limited.workspaceId, { api: false, webhooks: false, acquisition: false })
const revoked = await createRevokedKey()
const expired = await createExpiredKey()
const storedBefore = await readEverything()

describe.each(operations)('$name', (described) => {
  const needs = scopesOf(described)
  const plan = described.operation['x-plan']
  let valid: ApiRequest
  beforeAll(() => {
    valid = validRequest(document, described, ours)
  })

  test.each([
    ['no key', {}],
    ['another scheme', { authorization: `Basic ${ours.key}` }],
    ['no key behind the scheme', { authorization: 'Bearer ' }],
  ])('%s: 401 missing_key', async (_what, headers) => {
    expect(outcome(await send(described, valid, null, headers))).toBe('401 missing_key')
  })

  test('a key in the query is not read', async () => {
    const join = valid.url.includes('?') ? '&' : '?'
    const url = `${valid.url}${join}access_token=${ours.key}&key=${ours.key}&api_key=${ours.key}`
    expect(outcome(await send(described, { ...valid, url }, null))).toBe('401 missing_key')
  })

  test.each([
    ['a text that is no key', 'secret', '401 invalid_key'],
    ['a key with a typo', typo(ours.key), '401 invalid_key'],
    ['a revoked key', revoked, '401 revoked_key'],
    ['an expired key', expired, '401 expired_key'],
  ])('%s is refused', async (_what, key, refusal) => {
    const answer = await send(described, valid, key)
    expect(outcome(answer)).toBe(refusal)
    expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"')
    expect(JSON.stringify(answer.body)).not.toContain(key)
  })

  test.each([
    ["another workspace's id", () => theirs.workspaceId],
    ['a text that is no id', () => 'default'],
  ])('X-Workspace-ID with %s: 403 workspace_mismatch', async (_what, id) => {
    const answer = await send(described, valid, ours.key, { 'x-workspace-id': id() })
    expect(outcome(answer)).toBe('403 workspace_mismatch')
  })

  if (needs.length > 0)
    test('every scope but the right one: 403 missing_scope', async () => {
      const weak = await api.createKey(scopesBut(needs), ours.workspaceId)
      const answer = await send(described, valid, weak)
      expect(outcome(answer)).toBe('403 missing_scope')
      for (const scope of needs) expect(answer.body.message).toContain(scope)
      // Before the request itself is looked at.
      const broken = { url: valid.url.replace(/[^/]{36}(?=\/|$|\?)/, 'x'), body: { nonsense: 1 } }
      expect(outcome(await send(described, broken, weak))).toBe('403 missing_scope')
    })

  if (plan)
    test(`a plan without ${plan}: 403, before the scope is looked at`, async () => {
      const refusal = plan === 'acquisition' ? '403 entitlement_required' : '403 plan_required'
      expect(outcome(await send(described, valid, limited.key))).toBe(refusal)
      const weak = await api.createKey(['service_accounts:update'], limited.workspaceId)
      expect(outcome(await send(described, valid, weak))).toBe(refusal)
    })

  test('the records of another workspace do not exist', async () => {
    const requests = foreignRequests(document, described, theirs, ours)
    const answers = await Promise.all(
      requests.map((request) => send(described, request, theirs.key)),
    )
    const outcomes = answers.map((answer, index) => ({
      place: requests[index]?.place,
      answer: answer.status === 200 ? answer.body.items : outcome(answer),
    }))
    expect(outcomes).toEqual(
      requests.map(({ place, expected }) => ({
        place,
        answer: { 'not found': '404 not_found', invalid: '400 invalid_field', nothing: [] }[
          expected
        ],
      })),
    )
  })
})

test('nothing that was refused has changed anything', async () => {
  expect(await readEverything()).toEqual(storedBefore)
})

describe.each(operations)('$name is allowed', (described) => {
  test('with its own workspace named, in any case', async () => {
    const world = await anotherWorld()
    const valid = validRequest(document, described, world)
    const headers = { 'x-workspace-id': world.workspaceId.toUpperCase() }
    expect((await send(described, valid, world.key, headers)).status).toBeLessThan(300)
  })

  const needs = scopesOf(described)
  test.each(needs.flatMap(wider))('with the scope %s alone', async (scope) => {
    const world = await anotherWorld()
    // A key cannot pass on what it does not hold.
    const scopes =
      described.id === 'createServiceAccountKey'
        ? [scope, 'campaigns:read', 'leads:create']
        : [scope]
    const key = await api.createKey(scopes, world.workspaceId)
    const valid = validRequest(document, described, world)
    expect((await send(described, valid, key)).status).toBeLessThan(300)
  })

  if (!described.operation['x-plan'])
    test('whatever the plan', async () => {
      const world = await anotherWorld()
      const nothing = { api: false, webhooks: false, acquisition: false }
      await setPlan(api.ctx, world.workspaceId, nothing)
      const valid = validRequest(document, described, world)
      expect((await send(described, valid, world.key)).status).toBeLessThan(300)
    })

  test('until the rate limit of its workspace', async () => {
    const world = await anotherWorld()
    await setPlan(api.ctx, world.workspaceId, { rate: 1 })
    const valid = validRequest(document, described, world)
    await send(described, valid, world.key)
    const answer = await send(described, valid, world.key)
    expect(outcome(answer)).toBe('429 rate_limited')
    expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/)
    expect(answer.headers.ratelimit).toMatch(/^"(default|acquisition)";r=0;t=\d+$/)
  })
})

/** Sends it, and holds the answer to what the document says of it. */
async function send(
  described: Described,
  { url, body }: ApiRequest,
  key: string | null,
  headers: Record<string, string> = {},
): Promise<Answer> {
  // Failed authentications are limited by address, and here are many.
  const address = `10.0.0.${operations.findIndex((each) => each.path === described.path)}`
  const answer = await api.call(described.method, url, { body, key, headers, address })
  expect(judge.problemsOf(described, answer)).toEqual([])
  return answer
}

const outcome = ({ status, body }: Answer) => `${status} ${body.code}`

const anotherWorld = async (): Promise<World> =>
  createWorld(api, await api.createStranger(), receiver.url)

function scopesOf({ operation }: Described): string[] {
  return (operation.security ?? []).flatMap((each) => each.serviceAccountKey ?? [])
}

/** Every single scope that does not allow any of these. */
function scopesBut(needed: string[]): string[] {
  const resources = ['service_accounts', 'webhooks', 'campaigns', 'leads', 'leadbank']
  const actions = ['create', 'read', 'update', 'delete']
  return resources
    .flatMap((resource) => actions.map((action) => `${resource}:${action}`))
    .filter((scope) => !needed.some((need) => holdsScope(new Set([scope]), need)))
}

/** The spellings of a scope, and those that hold it. */
function wider(scope: string): string[] {
  const [resource = '', action = ''] = scope.split(':')
  return [scope, scope.replace('_', '-'), `${resource}:*`, `all:${action}`].filter(
    (each, index, all) => all.indexOf(each) === index,
  )
}

/** One digit of its random part is another. */
function typo(key: string): string {
  return `${key.slice(0, 20)}${key[20] === 'a' ? 'b' : 'a'}${key.slice(21)}`
}

async function createRevokedKey(): Promise<string> {
  const { key, id } = await createKeyAsOperator(api.ctx, ours.workspaceId, {
    name: 'revoked',
    scopes: ['all:all'],
  })
  await revokeKey(api.ctx, ours.workspaceId, id, operator)
  return key
}

async function createExpiredKey(): Promise<string> {
  const expires = new Date(api.ctx.now().getTime() + 1000)
  const { key } = await createKeyAsOperator(api.ctx, ours.workspaceId, {
    name: 'expired',
    scopes: ['all:all'],
    timestamp_expires: expires.toISOString(),
  })
  api.ctx.clock.advance(1000)
  return key
}

/** A digest of every table, but for keys: those are made and used all the time. */
async function readEverything(): Promise<Record<string, string>> {
  const { peek } = api.ctx.database
  const { rows: tables } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname not in ('service_accounts', 'key_hashes', 'audit_log')
    order by 1`.execute(peek)
  const digests: Record<string, string> = {}
  for (const { name } of tables) {
    const { rows } = await sql<{ digest: string }>`
      select md5(coalesce(string_agg(t::text, ' ' order by t::text), '')) as digest
      from ${sql.table(name)} t`.execute(peek)
    digests[name] = rows[0]?.digest ?? ''
  }
  return digests
}
