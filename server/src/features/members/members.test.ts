import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import {
  acceptInvitation,
  type Browser,
  lookAtInvitation,
  openBrowser,
  owner,
  password,
  resetPasswordBy,
  setUp,
} from '../../../test/browser.ts'
import { createMember, createPerson, join, type Person } from '../../../test/people.ts'
import { inWorkspace } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { dayMs } from '../../kernel/durations.ts'
import { deleteRegistered, insertRegistered } from '../../kernel/shards/queries.ts'
import { listAudit, operator } from '../audit/index.ts'
import { createInvitation } from './invitations.ts'
import { setRole } from './members.ts'

let api: TestApi
let browser: Browser
beforeEach(async () => {
  api = await testApi()
  browser = await setUp(api)
})
afterEach(() => api[Symbol.asyncDispose]())

const call = (from: Browser, method: string, url: string, body?: object, headers = {}) =>
  from.call(method, url, { body, headers: { 'x-workspace-id': api.workspaceId, ...headers } })
const outcome = ({ status, body }: { status: number; body: { code?: string } }) =>
  `${status} ${body.code ?? 'ok'}`
const userOf = async (from: Browser) => (await from.call('GET', '/app/session')).body

async function invite(email: string, role = 'member') {
  const answer = await call(browser, 'POST', '/app/invitations', { email, role })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return String(answer.body.url)
}

test('an invitation makes an account and a member, once', async () => {
  const link = await invite('Bob@Example.com')
  const bob = openBrowser(api)
  expect((await lookAtInvitation(bob, link)).body).toEqual({
    ...{ workspace_name: 'default', workspace_handle: 'default' },
    ...{ email: 'bob@example.com', role: 'member', has_account: false },
  })
  expect(outcome(await acceptInvitation(bob, link))).toBe('400 invalid_field')
  const account = { name: 'Bob', password }
  expect((await acceptInvitation(bob, link, account)).body).toEqual({ second_factor: false })
  expect(await userOf(bob)).toMatchObject({
    user: { name: 'Bob', email: 'bob@example.com', is_operator: false },
    workspaces: [{ role: 'member' }],
  })
  expect(outcome(await acceptInvitation(openBrowser(api), link, account))).toBe('404 not_found')
  const members = (await call(browser, 'GET', '/app/members')).body.items
  expect(members.map((each: { email: string; role: string }) => [each.email, each.role])).toEqual([
    ['ann@example.com', 'owner'],
    ['bob@example.com', 'member'],
  ])
  const { items } = await listAudit(
    api.ctx,
    api.workspaceId,
    { limit: 9, startingAfter: undefined },
    { actorType: 'user' },
  )
  expect(items.map(({ action }) => action)).toEqual([
    ...['user.signed_in', 'member.added', 'invitation.created', 'user.signed_in', 'member.added'],
  ])
})

test('a domain is signed in with as it was typed, in capitals, and in ASCII', async () => {
  const link = await invite('bob@müller.example')
  const joined = await acceptInvitation(openBrowser(api), link, { name: 'Bob', password })
  expect(outcome(joined)).toBe('200 ok')
  for (const email of ['bob@müller.example', 'BOB@MÜLLER.example', 'bob@xn--mller-kva.example']) {
    const entering = openBrowser(api)
    const entered = await entering.call('POST', '/app/session', { body: { email, password } })
    expect(outcome(entered)).toBe('200 ok')
    expect((await userOf(entering)).user).toMatchObject({ name: 'Bob' })
  }
})

test('nobody is invited by an address that could not sign in', async () => {
  const addresses = ['jörg@example.com', 'a&b@example.com', 'ann@пример.рф', 'ann@example.xn--p1ai']
  for (const email of addresses) {
    const refused = await call(browser, 'POST', '/app/invitations', { email, role: 'member' })
    expect([email, outcome(refused)]).toEqual([email, '400 invalid_field'])
    expect(refused.body.details[0].path).toBe('/email')
  }
})

test('whoever is invited by an unusual address signs in', async () => {
  for (const email of [
    "o'neil@example.com",
    'a.b+c_d-e@sub-domain.example.co',
    '_@example.museum',
  ]) {
    const link = await invite(email)
    const joined = await acceptInvitation(openBrowser(api), link, { name: 'Bob', password })
    expect([email, outcome(joined)]).toEqual([email, '200 ok'])
  }
})

test('somebody who has an account signs in to accept, as the one who is invited', async () => {
  const carol = await createPerson(api, { email: 'carol@example.com' })
  const dave = await createPerson(api, { email: 'dave@example.com' })
  const link = await invite(carol.email)
  const account = { name: 'Mallory', password: 'my own battery staple' }
  expect(outcome(await acceptInvitation(openBrowser(api), link, account))).toBe('401 not_signed_in')
  expect(outcome(await acceptInvitation(dave.browser, link))).toBe('401 not_signed_in')
  expect((await acceptInvitation(carol.browser, link)).status).toBe(200)
  expect((await userOf(carol.browser)).workspaces).toMatchObject([{ role: 'member' }])
})

test('a link that was withdrawn, replaced or is a week old opens nothing', async () => {
  const replaced = await invite('bob@example.com')
  const withdrawn = await invite('bob@example.com')
  const [pending] = (await call(browser, 'GET', '/app/invitations')).body.items
  expect(pending).not.toHaveProperty('url')
  await call(browser, 'DELETE', `/app/invitations/${pending.id}`)
  const old = await invite('eve@example.com')
  api.ctx.clock.advance(7 * 86_400_000)
  for (const link of [replaced, withdrawn, old])
    expect(outcome(await lookAtInvitation(openBrowser(api), link))).toBe('404 not_found')
})

test('an invitation by which an owner makes an owner is withdrawn and replaced by owners alone', async () => {
  const admin = await createPerson(api, { email: 'admin@example.com' })
  await join(api, api.workspaceId, admin, 'admin')
  const link = await invite('bob@example.com', 'owner')
  const [pending] = (await call(browser, 'GET', '/app/invitations')).body.items
  const withdraw = (from: Browser) => call(from, 'DELETE', `/app/invitations/${pending.id}`)
  const asViewer = { email: 'bob@example.com', role: 'viewer' }
  const replace = () => call(admin.browser, 'POST', '/app/invitations', asViewer)
  expect(outcome(await withdraw(admin.browser))).toBe('403 role_required')
  expect(outcome(await replace())).toBe('403 role_required')
  expect((await lookAtInvitation(openBrowser(api), link)).body).toMatchObject({ role: 'owner' })
  expect(outcome(await withdraw(browser))).toBe('200 ok')
  // One that has expired stands in nobody's way.
  await invite('bob@example.com', 'owner')
  api.ctx.clock.advance(7 * 86_400_000)
  expect((await replace()).body).toMatchObject({ role: 'viewer' })
})

test('owners are made and unmade by owners, and a workspace keeps one', async () => {
  const admin = await createMember(api, 'admin@example.com', 'admin')
  const { id: ownerId } = (await userOf(browser)).user
  const set = (from: Browser, id: string, role: string) =>
    call(from, 'PATCH', `/app/members/${id}`, { role })
  expect(outcome(await set(admin.browser, ownerId, 'viewer'))).toBe('403 role_required')
  expect(outcome(await set(admin.browser, admin.id, 'owner'))).toBe('403 role_required')
  const asOwner = { email: 'x@example.com', role: 'owner' }
  expect(outcome(await call(admin.browser, 'POST', '/app/invitations', asOwner))).toBe(
    '403 role_required',
  )
  expect(outcome(await call(admin.browser, 'DELETE', `/app/members/${ownerId}`))).toBe(
    '403 role_required',
  )
  expect(outcome(await set(browser, ownerId, 'admin'))).toBe('409 invalid_transition')
  expect(outcome(await call(browser, 'DELETE', `/app/members/${ownerId}`))).toBe(
    '409 invalid_transition',
  )
  expect((await set(browser, admin.id, 'owner')).body).toMatchObject({ role: 'owner' })
  // Two owners who leave at once: one stays.
  const answers = await Promise.all([
    call(browser, 'DELETE', `/app/members/${ownerId}`),
    call(admin.browser, 'DELETE', `/app/members/${admin.id}`),
  ])
  expect(answers.map(outcome).toSorted()).toEqual(['200 ok', '409 invalid_transition'])
})

test('everybody leaves a workspace by themselves, and keeps their others; its last owner does not', async () => {
  const viewer = await createPerson(api, { email: 'viewer@example.com' })
  const link = await invite(viewer.email)
  await join(api, api.workspaceId, viewer, 'viewer')
  const second = await createMember(api, 'second@example.com', 'owner')
  const stranger = await api.createStranger()
  await join(api, stranger.workspaceId, viewer, 'owner')
  const leave = (from: Browser) => call(from, 'DELETE', '/app/membership')
  expect((await leave(viewer.browser)).body).toMatchObject({ id: viewer.id, role: 'viewer' })
  expect((await userOf(viewer.browser)).workspaces).toMatchObject([{ id: stranger.workspaceId }])
  expect(outcome(await leave(viewer.browser))).toBe('403 workspace_mismatch')
  expect(outcome(await lookAtInvitation(openBrowser(api), link))).toBe('404 not_found')
  const page = { limit: 1, startingAfter: undefined }
  const { items } = await listAudit(api.ctx, api.workspaceId, page, { actorType: 'user' })
  expect(items).toMatchObject([
    { action: 'member.removed', actor_id: viewer.id, subject_id: viewer.id },
  ])
  // Two owners who leave at once: one stays.
  const answers = await Promise.all([browser, second.browser].map(leave))
  expect(answers.map(outcome).toSorted()).toEqual(['200 ok', '409 invalid_transition'])
})

test('an admin makes no reset link for whoever may do more than they', async () => {
  const [admin, bob, guest] = await Promise.all(
    ['admin', 'bob', 'guest'].map((name) => createPerson(api, { email: `${name}@example.com` })),
  )
  if (!admin || !bob || !guest) throw new Error('Nobody.')
  await join(api, api.workspaceId, admin, 'admin')
  await join(api, api.workspaceId, bob, 'member')
  await join(api, api.workspaceId, guest, 'viewer')
  await join(api, (await api.createStranger()).workspaceId, guest, 'owner')
  const { id: ownerId } = (await userOf(browser)).user
  const reset = (id: string) => call(admin.browser, 'POST', `/app/members/${id}/reset-link`)
  expect(outcome(await reset(ownerId))).toBe('403 role_required')
  expect(outcome(await reset(guest.id))).toBe('403 role_required')

  const link = (await reset(bob.id)).body.url
  const next = 'a new battery staple'
  const anywhere = openBrowser(api)
  expect((await resetPasswordBy(anywhere, link, next)).body).toEqual({ second_factor: false })
  expect((await userOf(anywhere)).user.email).toBe(bob.email)
  expect((await userOf(bob.browser)).user).toBeNull()
  expect(outcome(await resetPasswordBy(openBrowser(api), link, next))).toBe('404 not_found')

  const late = (await reset(bob.id)).body.url
  api.ctx.clock.advance(3_600_000)
  expect(outcome(await resetPasswordBy(openBrowser(api), late, next))).toBe('404 not_found')
})

test('an admin makes no reset link while the other workspace of its person is between two shards, or on one that is not known here', async () => {
  const { peek } = api.ctx.database
  const guest = await createMember(api, 'guest@example.com', 'viewer')
  const reset = () => call(browser, 'POST', `/app/members/${guest.id}/reset-link`)
  const shard = { instance_id: api.ctx.newId(), timestamp_created: api.ctx.now() }
  await insertRegistered(api.ctx.db, { ...shard, name: 'b' })
  expect(outcome(await reset())).toBe('503 unavailable')
  await deleteRegistered(api.ctx.db, 'b')
  expect(outcome(await reset())).toBe('200 ok')
  const { workspaceId } = await api.createStranger()
  await join(api, workspaceId, guest, 'owner')
  const left = { moving_to: 'b', moved_to: 'b' }
  await peek.updateTable('workspaces').set(left).where('id', '=', workspaceId).execute()
  expect(outcome(await reset())).toBe('403 role_required')
})

test('an admin makes no password for whoever signs in at a provider', async () => {
  const bob = await createMember(api, 'bob@example.com', 'member')
  const account = { id: api.ctx.newId(), user_id: bob.id, provider_id: 'oidc', account_id: 'bob' }
  const times = { timestamp_created: api.ctx.now(), timestamp_updated: api.ctx.now() }
  await api.ctx.database.peek
    .insertInto('user_accounts')
    .values({ ...account, ...times })
    .execute()
  const made = await call(browser, 'POST', `/app/members/${bob.id}/reset-link`)
  expect(outcome(made)).toBe('403 role_required')
  expect(made.body.message).toContain('users reset')
})

test('whoever is taken out, or may invite no more, leaves no link behind that lets somebody in', async () => {
  const bob = await createMember(api, 'bob@example.com', 'member')
  const without = {
    taken: (id: string) => call(browser, 'DELETE', `/app/members/${id}`),
    lowered: (id: string) => call(browser, 'PATCH', `/app/members/${id}`, { role: 'member' }),
  }
  for (const [how, shutOut] of Object.entries(without)) {
    const admin = await createMember(api, `${how}@example.com`, 'admin')
    const invitee = { email: `other-${how}@example.com`, role: 'admin' }
    const invited = await call(admin.browser, 'POST', '/app/invitations', invitee)
    const reset = await call(admin.browser, 'POST', `/app/members/${bob.id}/reset-link`)
    expect([invited.status, reset.status, (await shutOut(admin.id)).status]).toEqual([
      ...[201, 200, 200],
    ])
    const anybody = openBrowser(api)
    const account = { name: 'Eve', password: 'my own battery staple' }
    const joined = await acceptInvitation(anybody, invited.body.url, account)
    const taken = await resetPasswordBy(anybody, reset.body.url, account.password)
    expect([joined, taken].map(outcome)).toEqual(['404 not_found', '404 not_found'])
  }
  expect((await userOf(bob.browser)).user).toMatchObject({ email: bob.email })
})

test('whoever never could make a reset link takes nobody’s along, whether they leave or may do less', async () => {
  const person = await createMember(api, 'bob@example.com', 'member')
  const reset = await call(browser, 'POST', `/app/members/${person.id}/reset-link`)
  const [viewer, member] = await Promise.all([
    createMember(api, 'viewer@example.com', 'viewer'),
    createMember(api, 'member@example.com', 'member'),
  ])
  expect((await call(viewer.browser, 'DELETE', '/app/membership')).status).toBe(200)
  const lowered = await call(browser, 'PATCH', `/app/members/${member.id}`, { role: 'viewer' })
  expect(lowered.status).toBe(200)
  const taken = await resetPasswordBy(openBrowser(api), reset.body.url, 'my own battery staple')
  expect(outcome(taken)).toBe('200 ok')
})

test('nobody makes a reset link for themselves: an open browser would be enough for a new password', async () => {
  const { id } = (await userOf(browser)).user
  expect(outcome(await call(browser, 'POST', `/app/members/${id}/reset-link`))).toBe(
    '403 role_required',
  )
})

test('a workspace has a thousand open invitations at most, and those that are over or replaced do not count', async () => {
  const { ctx, workspaceId } = api
  const row = (n: number, days: number) => ({
    ...{ id: ctx.newId(), workspace_id: workspaceId, email: `n${n}@example.com`, role: 'viewer' },
    ...{ token_hash: randomBytes(32), invited_by: null, timestamp_created: ctx.now() },
    timestamp_expires: new Date(ctx.now().getTime() + days * dayMs),
  })
  const open = Array.from({ length: 999 }, (_, n) => row(n, 7))
  const over = Array.from({ length: 5 }, (_, n) => row(1000 + n, 0))
  const { peek } = ctx.database
  await peek
    .insertInto('invitations')
    .values([...open, ...over])
    .execute()
  const ask = async (email: string) =>
    call(browser, 'POST', '/app/invitations', { email, role: 'viewer' })
  const answers = await Promise.all(['one@example.com', 'two@example.com'].map(ask))
  expect(answers.map(outcome).toSorted()).toEqual(['201 ok', '409 not_ready'])
  expect(outcome(await ask('n7@example.com'))).toBe('201 ok')
  await call(browser, 'DELETE', `/app/invitations/${open[0]?.id}`)
  expect(outcome(await ask('three@example.com'))).toBe('201 ok')
})

test('of two invitations of one address at one instant one is good', async () => {
  await Promise.all([invite('bob@example.com'), invite('bob@example.com', 'admin')])
  expect((await call(browser, 'GET', '/app/invitations')).body.items).toHaveLength(1)
})

test('a reset link is void once its person may do more than when it was made', async () => {
  const admin = await createMember(api, 'admin@example.com', 'admin')
  const stranger = await api.createStranger()
  const later = {
    owner: ({ id }: Person) => call(browser, 'PATCH', `/app/members/${id}`, { role: 'owner' }),
    elsewhere: (person: Person) => join(api, stranger.workspaceId, person, 'viewer'),
  }
  for (const [how, raise] of Object.entries(later)) {
    const person = await createMember(api, `${how}@example.com`, 'member')
    const reset = await call(admin.browser, 'POST', `/app/members/${person.id}/reset-link`)
    expect(reset.status).toBe(200)
    await raise(person)
    const taken = await resetPasswordBy(openBrowser(api), reset.body.url, 'my own battery staple')
    expect(outcome(taken)).toBe('404 not_found')
  }
})

async function holdLock(name: string) {
  const client = await api.ctx.database.pool.connect()
  await client.query('begin')
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [name])
  return {
    async free() {
      await client.query('commit')
      client.release()
    },
  }
}

/** A member here who is invited to another workspace, and an admin of this one. */
async function inviteElsewhere() {
  const [admin, bob] = await Promise.all(
    ['admin', 'bob'].map((name) => createPerson(api, { email: `${name}@example.com` })),
  )
  if (!admin || !bob) throw new Error('Nobody.')
  await join(api, api.workspaceId, admin, 'admin')
  await join(api, api.workspaceId, bob, 'member')
  const { workspaceId } = await api.createStranger()
  const { url } = await createInvitation(
    inWorkspace(api.ctx, workspaceId),
    workspaceId,
    { email: bob.email, role: 'owner' },
    operator,
  )
  return {
    join: () => acceptInvitation(bob.browser, url),
    makeLink: (headers = {}) =>
      call(admin.browser, 'POST', `/app/members/${bob.id}/reset-link`, undefined, headers),
  }
}

test('a reset link that waits while its person joins another workspace is not made', async () => {
  const person = await inviteElsewhere()
  const members = await holdLock(`members ${api.workspaceId}`)
  const made = person.makeLink()
  await api.ctx.database.untilWaiting()
  expect(outcome(await person.join())).toBe('200 ok')
  await members.free()
  expect(outcome(await made)).toBe('403 role_required')
  const { peek } = api.ctx.database
  expect(await peek.selectFrom('password_resets').selectAll().execute()).toEqual([])
})

test('a reset link that is made while its person is joining another workspace is void', async () => {
  const person = await inviteElsewhere()
  const { pool } = api.ctx.database
  await pool.query(`
    create function wait_for_test() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(hashtextextended('joining', 0)); return new; end $$;
    create trigger wait_for_test before insert on audit_log
      for each row when (new.action = 'member.added') execute function wait_for_test()`)
  const end = await holdLock('joining')
  const joining = person.join()
  await api.ctx.database.untilWaiting()
  const made = await person.makeLink()
  expect(outcome(made)).toBe('200 ok')
  await end.free()
  expect(outcome(await joining)).toBe('200 ok')
  const taken = await resetPasswordBy(openBrowser(api), made.body.url, 'my own battery staple')
  expect(outcome(taken)).toBe('404 not_found')
})

test('a reset link that is kept for repetitions is void as well once its person has joined another workspace', async () => {
  const person = await inviteElsewhere()
  const { pool } = api.ctx.database
  // The answer is written last, and waits.
  const client = await pool.connect()
  await client.query('begin; lock table idempotency_answers in share mode')
  const made = person.makeLink({ 'idempotency-key': 'reset-bob' })
  await api.ctx.database.untilWaiting()
  expect(outcome(await person.join())).toBe('200 ok')
  await client.query('commit')
  client.release()
  await made
  const { peek } = api.ctx.database
  expect(await peek.selectFrom('password_resets').selectAll().execute()).toEqual([])
})

test('an owner who is unmade while their request waits does not make themselves one again', async () => {
  const second = await createMember(api, 'second@example.com', 'owner')
  const { id } = (await userOf(browser)).user
  const by = { actor: { type: 'user', id } } as const
  const unmade = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const unmaking = transaction(inWorkspace(api.ctx, api.workspaceId), async (tx) => {
    await setRole(tx, api.workspaceId, second.id, 'viewer', by)
    unmade.resolve()
    await gate.promise
  })
  await unmade.promise
  const again = call(second.browser, 'PATCH', `/app/members/${second.id}`, { role: 'owner' })
  await api.ctx.database.untilWaiting()
  gate.resolve()
  await unmaking
  expect(outcome(await again)).toBe('403 role_required')
  expect((await userOf(second.browser)).workspaces).toMatchObject([{ role: 'viewer' }])
})

test('a key and all that it made is revoked by a person, who is in the audit log for each', async () => {
  const scopes = ['service_accounts:create', 'leads:read']
  const made = await call(browser, 'POST', '/app/oauth/service-accounts', { name: 'crm', scopes })
  expect(made.body.created_by).toMatchObject({ type: 'user' })
  const { key_prefix } = made.body
  const child = await api.call('POST', '/oauth/service-accounts', {
    key: made.body.key,
    body: { name: 'child', scopes: ['leads:read'] },
  })
  const path = `/app/keys/${made.body.id}/revoke`
  const revoked = await call(browser, 'POST', path, { with_children: true })
  expect(revoked.body).toMatchObject({ status: 'revoked' })
  const { key } = child.body
  expect((await api.call('GET', '/api/v2/campaigns', { key })).body.code).toBe('revoked_key')
  const log = await call(browser, 'GET', '/app/audit?action=key.')
  const { id } = (await userOf(browser)).user
  const by = { action: 'key.revoked', actor_type: 'user', actor_id: id }
  expect(log.body.items.slice(0, 2)).toMatchObject([
    { ...by, subject_id: made.body.id },
    { ...by, subject_id: child.body.id },
  ])
  // By what the list of keys shows, and not by an id alone.
  const { action, details } = log.body.items[3]
  expect({ action, details }).toEqual({
    ...{ action: 'key.created', details: { key_prefix, scopes } },
  })
})

test('the audit log is asked for a window: its first instant is in it, its last is not', async () => {
  api.ctx.clock.advance(60_000)
  const from = api.ctx.now().toISOString()
  await call(browser, 'PATCH', '/app/workspace', { unsubscribe_by_reply: true })
  const inWindow = async (window: string) =>
    (await call(browser, 'GET', `/app/audit?${window}`)).body.items
  expect(await inWindow(`from=${from}`)).toMatchObject([{ action: 'workspace.set' }])
  expect(await inWindow(`from=${from}&to=${from}`)).toEqual([])
  const refused = await call(browser, 'GET', '/app/audit?from=yesterday')
  expect(outcome(refused)).toBe('400 invalid_field')
})

test('an operator makes a workspace and owns it; its name may change, its handle does not', async () => {
  const made = await browser.call('POST', '/app/workspaces', { body: { name: 'Müller & Söhne' } })
  expect(made.body).toMatchObject({ name: 'Müller & Söhne', handle: 'muller-sohne' })
  const headers = { 'x-workspace-id': made.body.id }
  const change = (body: object) => browser.call('PATCH', '/app/workspace', { body, headers })
  expect((await change({ name: 'Sales' })).body).toMatchObject({
    ...{ name: 'Sales', handle: 'muller-sohne' },
  })
  expect(outcome(await change({ name: 'default' }))).toBe('400 invalid_field')
  const again = await browser.call('POST', '/app/workspaces', { body: { name: 'Muller Sohne' } })
  expect(again.body.handle).toMatch(/^muller-sohne-[0-9a-f]{12}$/)
  const plan = await browser.call('PATCH', `/app/workspaces/${made.body.id}/plan`, {
    body: { plan_webhooks: false },
  })
  expect(plan.body).toMatchObject({ plan_webhooks: false, plan_api: true })
  const hooks = await browser.call('GET', '/app/api/v2/webhooks', { headers })
  expect(outcome(hooks)).toBe('403 plan_required')
  expect(owner.email).toBe((await userOf(browser)).user.email)
})

test('a workspace that is asked for again with the same key is the one that was made, for the same person alone', async () => {
  const make = (key: string, name = 'Made once', from = browser) =>
    from.call('POST', '/app/workspaces', { body: { name }, headers: { 'idempotency-key': key } })
  const [made, meanwhile] = await Promise.all([make('a key'), make('a key')])
  expect([made.status, meanwhile.status]).toEqual([201, 201])
  expect(meanwhile.body).toEqual(made.body)
  const again = await make('a key')
  expect(again).toMatchObject({ status: 201, body: made.body })
  expect(again.headers['idempotency-replayed']).toBe('true')
  expect(outcome(await make('another key'))).toBe('400 invalid_field')
  expect(outcome(await make('a key', 'default'))).toBe('400 invalid_field')
  const other = await createPerson(api, { email: 'other@operator.example', isOperator: true })
  expect(outcome(await make('a key', 'Made once', other.browser))).toBe('400 invalid_field')
})
