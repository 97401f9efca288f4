import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { holdSending, previewRestore } from '../../src/features/sending/index.ts'
import { setPlan } from '../../src/features/workspaces/index.ts'
import { type Role, roles } from '../../src/kernel/http/access.ts'
import type { Answer } from '../app.ts'
import { type Browser, openBrowser } from '../browser.ts'
import { createPerson, createTeam, join } from '../people.ts'
import { isTried } from '../thoroughness.ts'
import { createApplicationWorld } from './application-world.ts'
import { describedApplication } from './described-api.ts'
import type { Described } from './document.ts'
import { type ApiRequest, foreignRequests, validRequest } from './requests.ts'

const { api, receiver, document, judge, operations } = await describedApplication()

const team = await createTeam(api, api.workspaceId)
const operator = await createPerson(api, { email: 'operator@team.example', isOperator: true })
const ours = await createApplicationWorld(api, api, receiver.url)
const theirs = await createApplicationWorld(api, await api.createStranger(), receiver.url)
/** What a valid request of these holds a provider has to make, or to have: their own tests do it with one. */
const madeElsewhere = new Set(['finishConsent', 'getMessageAttachment'])
await api.ctx.database.peek
  .insertInto('instance')
  .values({ id: api.ctx.newId(), secret_key_id: 'k', timestamp_created: api.ctx.now() })
  .execute()
const signedOut = await createSignedOut()
const expired = await createExpired()

const roleOf = ({ operation }: Described) => operation['x-role']
const ofWorkspace = operations.filter((each) => roles.includes(roleOf(each) as Role))
const ofPeople = operations.filter((each) => ['person', 'operator'].includes(roleOf(each) ?? ''))

describe.each([...ofWorkspace, ...ofPeople])('$name', (described) => {
  const valid = () => validRequest(document, described, ours)
  const here = { 'x-workspace-id': ours.workspaceId }

  test.each([
    ['no cookie', () => openBrowser(api)],
    ['a session that has expired', () => expired],
    ['a session that was ended', () => signedOut],
    ['a cookie that nobody signed', () => withCookie('outrider.session_token=guess.guess')],
  ])('%s: 401 not_signed_in', async (_what, open) => {
    expect(outcome(await send(described, valid(), open(), here))).toBe('401 not_signed_in')
  })

  test('an API key is no session', async () => {
    const headers = { ...here, authorization: `Bearer ${ours.key}` }
    const answer = await send(described, valid(), openBrowser(api), headers)
    expect(outcome(answer)).toBe('401 not_signed_in')
  })

  test.runIf(described.method !== 'GET')('another site: 403 cross_site', async () => {
    const headers = { ...here, 'sec-fetch-site': 'cross-site' }
    const answer = await send(described, valid(), team.owner.browser, headers)
    expect(outcome(answer)).toBe('403 cross_site')
  })
})

describe.each(ofWorkspace)('$name', (described) => {
  const least = roles.indexOf(roleOf(described) as Role)
  const valid = () => validRequest(document, described, ours)

  test.each([
    ['none', () => ({})],
    ['another one', () => ({ 'x-workspace-id': theirs.workspaceId })],
    ['a text that is no id', () => ({ 'x-workspace-id': 'default' })],
  ])('a workspace to work in, %s: 403 workspace_mismatch', async (_what, headers) => {
    const answer = await send(described, valid(), team.owner.browser, headers())
    expect(outcome(answer)).toBe('403 workspace_mismatch')
  })

  test.each(roles.slice(0, least))('as %s: 403 role_required', async (role) => {
    const headers = { 'x-workspace-id': ours.workspaceId }
    const answer = await send(described, valid(), team[role].browser, headers)
    expect(outcome(answer)).toBe('403 role_required')
  })

  test.skipIf(madeElsewhere.has(described.id)).each(allowedRoles(described, roles[least]))(
    'as %s it is allowed, and what it changes is in the audit log with its request',
    async (role) => {
      const reads = described.method === 'GET'
      const { world, person } = await (reads ? readWorld(role) : anotherWorld(role))
      const headers = { 'x-workspace-id': world.workspaceId.toUpperCase() }
      const request = validRequest(document, described, world)
      const before = await entriesWithoutRequest(world.workspaceId)
      const answer = await send(described, request, person.browser, headers)
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
      expect(await entriesWithoutRequest(world.workspaceId)).toEqual(before)
    },
  )

  if (described.operation['x-plan'])
    test('a plan without it: 403', async () => {
      const { world, person } = await worldWithoutPlan()
      const request = validRequest(document, described, world)
      const headers = { 'x-workspace-id': world.workspaceId }
      const answer = await send(described, request, person.browser, headers)
      expect(outcome(answer)).toMatch(/^403 (plan|entitlement)_required$/)
    })

  test('the records of another workspace do not exist', async () => {
    const headers = { 'x-workspace-id': ours.workspaceId }
    for (const request of foreignRequests(document, described, ours, theirs)) {
      const answer = await send(described, request, team.owner.browser, headers)
      const expected = { 'not found': 404, invalid: 400, nothing: 200 }[request.expected]
      expect([request.place, answer.status]).toEqual([request.place, expected])
      if (answer.status !== 200) continue
      if (described.path.endsWith('.csv')) expect(answer.body.trim().split('\n')).toHaveLength(1)
      else if (described.path.endsWith('/count')) expect(answer.body.count).toBe(0)
      else expect(answer.body.items).toEqual([])
    }
  })
})

describe.each(ofPeople.filter((each) => roleOf(each) === 'operator'))('$name', (described) => {
  test('an owner who is no operator: 403 role_required', async () => {
    const valid = validRequest(document, described, ours)
    expect(outcome(await send(described, valid, team.owner.browser))).toBe('403 role_required')
  })

  test('an operator is let in', async () => {
    const values = { ...ours.values }
    if (described.id === 'confirmRestore') {
      // What is confirmed has to be held first, and shown.
      await holdSending(api.ctx)
      values.seen = (await previewRestore(api.ctx))?.seen ?? ''
    }
    const valid = validRequest(document, described, { ...ours, values })
    expect((await send(described, valid, operator.browser)).status).toBeLessThan(300)
  })
})

test('whoever reads changes nothing, nor does whoever asks for what the plan lacks', async () => {
  for (const { world, before } of await Promise.all(shared.values())) {
    expect(await contentsOf(world.workspaceId)).toEqual(before)
  }
})

test('whoever is removed is let in no more', async () => {
  const { world, person } = await anotherWorld('viewer')
  const headers = { 'x-workspace-id': world.workspaceId }
  const read = () => person.browser.call('GET', '/app/api/v2/campaigns', { headers })
  expect((await read()).status).toBe(200)
  await api.ctx.database.peek
    .deleteFrom('memberships')
    .where('user_id', '=', person.id)
    .where('workspace_id', '=', world.workspaceId)
    .execute()
  expect(outcome(await read())).toBe('403 workspace_mismatch')
})

test('the operations that are open to everybody are those that somebody thought about', () => {
  const open = operations.filter((each) => !roleOf(each)).map(({ name }) => name)
  expect(open.toSorted()).toEqual([
    'DELETE /app/session',
    'GET /app/session',
    'POST /app/invitations/accept',
    'POST /app/invitations/received',
    'POST /app/password-reset',
    'POST /app/session',
    'POST /app/session/oidc',
    'POST /app/session/second-factor',
    'POST /app/set-up',
  ])
})

test('every operation of the public API has its twin', async () => {
  const { paths } = (await api.app.inject('/openapi.json')).json()
  const missing = Object.keys(paths).filter((path) => !(`/app${path}` in document.paths))
  expect(missing).toEqual([])
})

/** The least role, and the owner too, for some of the operations that need a world of their own. */
function allowedRoles({ id, method }: Described, least: Role | undefined): Role[] {
  const at = operations.findIndex((each) => each.id === id)
  const asOwner = method === 'GET' || isTried(at) ? ['owner' as const] : []
  return [...new Set([...(least ? [least] : []), ...asOwner])]
}

/** Sends it, and holds the answer to what the document says of it. */
async function send(
  described: Described,
  { url, body }: ApiRequest,
  browser: Browser,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const answer = await browser.call(described.method, url, { body, headers })
  expect(judge.problemsOf(described, answer)).toEqual([])
  return answer
}

const outcome = ({ status, body }: Answer) => `${status} ${body.code}`

async function anotherWorld(role: Role) {
  const world = await createApplicationWorld(api, await api.createStranger(), receiver.url)
  await join(api, world.workspaceId, team[role], role)
  return { world, person: team[role] }
}

/** The worlds in which nothing is changed, by what they are for: one serves all requests of its kind. */
const shared = new Map<string, ReturnType<typeof unchanged>>()

const readWorld = (role: Role) => share(role, () => anotherWorld(role))

const worldWithoutPlan = () =>
  share('without a plan', async () => {
    const made = await anotherWorld('owner')
    const plan = { api: false, webhooks: false, acquisition: false }
    await setPlan(api.ctx, made.world.workspaceId, plan)
    return made
  })

function share(what: string, make: () => ReturnType<typeof anotherWorld>) {
  const known = shared.get(what) ?? unchanged(make)
  shared.set(what, known)
  return known
}

async function unchanged(make: () => ReturnType<typeof anotherWorld>) {
  const made = await make()
  return { ...made, before: await contentsOf(made.world.workspaceId) }
}

/** Of people: what the service finds by itself, such as a mailbox that fails, is of no request. */
async function entriesWithoutRequest(workspaceId: string) {
  const { peek } = api.ctx.database
  const entries = peek
    .selectFrom('audit_log')
    .select(['id', 'action'])
    .where('actor_type', '<>', 'service')
  const ofWorkspace = entries.where('workspace_id', '=', workspaceId)
  return ofWorkspace.where('request_id', 'is', null).orderBy('id').execute()
}

/** Every row of a workspace, by table. */
async function contentsOf(workspaceId: string): Promise<Record<string, string[]>> {
  const { peek } = api.ctx.database
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace
      and exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'workspace_id')
    order by relname`.execute(peek)
  const contents: Record<string, string[]> = {}
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`
      select each::text as row from ${sql.table(name)} each
      where workspace_id = ${workspaceId} order by row`.execute(peek)
    contents[name] = rows.map(({ row }) => row)
  }
  return contents
}

function withCookie(cookie: string): Browser {
  const browser = openBrowser(api)
  const [name = '', value = ''] = cookie.split('=')
  browser.cookies.set(name, value)
  return browser
}

async function createSignedOut(): Promise<Browser> {
  const { browser } = await createPerson(api, { email: 'signed-out@team.example' })
  const cookies = new Map(browser.cookies)
  await browser.call('DELETE', '/app/session')
  for (const [name, value] of cookies) browser.cookies.set(name, value)
  return browser
}

async function createExpired(): Promise<Browser> {
  const person = await createPerson(api, { email: 'expired@team.example' })
  await api.ctx.database.peek
    .updateTable('user_sessions')
    .set({ timestamp_expires: new Date(0) })
    .where('user_id', '=', person.id)
    .execute()
  return person.browser
}
