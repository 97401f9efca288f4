// Also runs through PgBouncer: a library with its own statements.
import { scryptSync } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Answer, callOf, type TestApi, testApi } from '../../../test/app.ts'
import {
  acceptInvitation,
  openBrowser,
  owner,
  password,
  resetPasswordBy,
  setUp,
  setUpToken,
  signIn,
} from '../../../test/browser.ts'
import { buildApi } from '../../app.ts'
import { connect } from '../../kernel/db/db.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { listAudit, operator } from '../audit/index.ts'
import { addMember } from '../members/index.ts'
import { authOf } from '../users/auth.ts'
import {
  createPasswordReset,
  dropOldSessions,
  getUserByEmail,
  hashPassword,
} from '../users/index.ts'
import { createWorkspace } from '../workspaces/index.ts'

let api: TestApi
beforeEach(async () => {
  api = await testApi()
})
afterEach(() => api[Symbol.asyncDispose]())

const outcome = ({ status, body }: { status: number; body: { code?: string } }) =>
  `${status} ${body.code ?? 'ok'}`

test('the printed link makes the first user, who owns the default workspace, and no other', async () => {
  const browser = openBrowser(api)
  const before = await browser.call('GET', '/app/session')
  expect(before.body).toEqual({ user: null, workspaces: [], is_set_up: false, oidc_name: null })

  const token = await setUpToken(api)
  const guess = { ...owner, token: `${token}x` }
  const set = (body: object) => browser.call('POST', '/app/set-up', { body })
  expect(outcome(await set(guess))).toBe('401 wrong_credentials')
  expect(outcome(await set({ ...owner, token, password: 'too short' }))).toBe('400 invalid_field')
  expect(outcome(await set({ ...owner, token, email: 'nobody' }))).toBe('400 invalid_field')
  const answers = await Promise.all([set({ ...owner, token }), set({ ...owner, token })])
  expect(answers.map(outcome).toSorted()).toEqual(['200 ok', '409 already_set_up'])

  const after = await browser.call('GET', '/app/session')
  expect(after.body).toMatchObject({
    user: { name: owner.name, email: owner.email, is_operator: true, has_second_factor: false },
    workspaces: [{ id: api.workspaceId, handle: 'default', role: 'owner', plan_api: true }],
    is_set_up: true,
  })
  expect(await setUpToken(api)).toBeUndefined()
  expect(outcome(await set({ ...owner, token, email: 'other@example.com' }))).toBe(
    '409 already_set_up',
  )
})

test('answers of the application tell the time of the database, in a header that the public API has not', async () => {
  const visitor = await setUp(api)
  const names = { headers: { 'x-workspace-id': api.workspaceId } }
  const answers = [
    await visitor.call('GET', '/app/labels', names),
    await openBrowser(api).call('GET', '/app/labels', names),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 401])
  // The clock of a test stands still, and is not the machine's.
  const now = api.ctx.now().toISOString()
  expect(answers.map(({ headers }) => headers['x-outrider-time'])).toEqual([now, now])
  const { headers } = await api.call('GET', '/oauth/service-accounts')
  expect(headers).not.toHaveProperty('x-outrider-time')
})

test('whoever sets up names the first workspace, if they like', async () => {
  await createWorkspace(api.ctx, 'Taken')
  const browser = openBrowser(api)
  const token = await setUpToken(api)
  const set = (workspace: string) =>
    browser.call('POST', '/app/set-up', { body: { ...owner, token, workspace } })
  const refused = await set('Taken')
  expect(refused.body).toMatchObject({ code: 'invalid_field', details: [{ path: '/workspace' }] })
  expect(outcome(await set('Acme & Co.'))).toBe('200 ok')
  const { body } = await browser.call('GET', '/app/session')
  expect(body.workspaces).toMatchObject([{ id: api.workspaceId, name: 'Acme & Co.' }])
})

test('the cookie of a session is for /app alone, out of reach of scripts and of other sites', async () => {
  const browser = await setUp(api)
  const [cookie = ''] = browser.setCookies().filter((text) => text.includes('session_token'))
  const attributes = cookie
    .split('; ')
    .slice(1)
    .map((text) => text.toLowerCase())
  expect(attributes).toEqual(expect.arrayContaining(['httponly', 'samesite=strict', 'path=/app']))
  expect(attributes).not.toContain('secure')
})

test('where the address is https, the cookie travels by https alone', async () => {
  await using secure = await testApi({ baseUrl: 'https://outrider.example.com' })
  const browser = await setUp(secure)
  expect(browser.setCookies().join()).toMatch(/__Secure-outrider\.session_token=.*; Secure/)
  expect((await browser.call('GET', '/app/session')).body.user).toMatchObject({ name: owner.name })
})

test('an unknown address and a wrong password are answered alike, and the session ends at sign-out', async () => {
  await setUp(api)
  const browser = openBrowser(api)
  const enter = (body: object) => browser.call('POST', '/app/session', { body })
  const wrong = await enter({ email: owner.email, password: 'wrong horse battery staple' })
  const unknown = await enter({ email: 'nobody@example.com', password })
  expect(outcome(wrong)).toBe('401 wrong_credentials')
  expect({ ...unknown.body, request_id: '' }).toEqual({ ...wrong.body, request_id: '' })

  const entered = await enter({ email: ' Ann@Example.com', password })
  expect(entered.body).toEqual({ second_factor: false })
  const cookies = new Map(browser.cookies)
  await browser.call('DELETE', '/app/session')
  expect(browser.cookies.size).toBe(0)
  for (const [name, value] of cookies) browser.cookies.set(name, value)
  expect((await browser.call('GET', '/app/session')).body.user).toBeNull()
})

test('a password as long as passwords may be opens the account again, whatever its characters', async () => {
  await setUp(api)
  const { id } = await getUserByEmail(api.ctx, owner.email)
  const set = async (next: string) => {
    const { path } = await createPasswordReset(api.ctx, id)
    return outcome(await resetPasswordBy(openBrowser(api), path, next))
  }
  const longest = '🐎'.repeat(256)
  expect(await set(longest)).toBe('200 ok')
  const entering = { body: { email: owner.email, password: longest } }
  expect(outcome(await openBrowser(api).call('POST', '/app/session', entering))).toBe('200 ok')
  expect(await set(`${longest}🐎`)).toBe('400 invalid_field')
})

test('a session that has expired is none', async () => {
  const browser = await setUp(api)
  const { peek } = api.ctx.database
  await peek
    .updateTable('user_sessions')
    .set({ timestamp_expires: new Date(0) })
    .execute()
  expect((await browser.call('GET', '/app/session')).body.user).toBeNull()
})

test('a session that is ended while it is renewed is none', async () => {
  const browser = await setUp(api)
  const { peek } = api.ctx.database
  const longAgo = new Date(api.ctx.now().getTime() - 600_000)
  await peek
    .updateTable('user_sessions')
    .set({ timestamp_updated: longAgo, timestamp_expires: new Date(Date.now() + 86_400_000) })
    .execute()
  // Between the reading of the session and its update.
  await sql`create function end_session() returns trigger language plpgsql as
    $$ begin delete from user_sessions where id = old.id; return null; end $$`.execute(peek)
  await sql`create trigger ended before update on user_sessions
    for each row execute function end_session()`.execute(peek)
  const { status, body } = await browser.call('GET', '/app/session')
  expect([status, body.user]).toEqual([200, null])
  expect(await peek.selectFrom('user_sessions').selectAll().execute()).toEqual([])
})

test('a session that is used says so within minutes, and not only a day later', async () => {
  const browser = await setUp(api)
  const { peek } = api.ctx.database
  const read = () => peek.selectFrom('user_sessions').selectAll().executeTakeFirstOrThrow()
  const { timestamp_updated, timestamp_expires } = await read()
  // As if it had last been used ten minutes ago.
  const before = (at: Date) => new Date(at.getTime() - 600_000)
  await peek
    .updateTable('user_sessions')
    .set({ timestamp_updated: before(timestamp_updated) })
    .set({ timestamp_expires: before(timestamp_expires) })
    .execute()
  expect((await browser.call('GET', '/app/session')).body.user).not.toBeNull()
  const used = await read()
  expect(used.timestamp_updated >= timestamp_updated).toBe(true)
  // No more than one write in five minutes.
  await browser.call('GET', '/app/session')
  expect(await read()).toEqual(used)
})

test('sessions and sign-ins that are over are kept no longer, and others are', async () => {
  await setUp(api)
  const { ctx } = api
  const { peek } = ctx.database
  const { id } = await peek.selectFrom('users').select('id').executeTakeFirstOrThrow()
  await peek.deleteFrom('user_sessions').execute()
  const times = { timestamp_created: ctx.now(), timestamp_updated: ctx.now() }
  for (const [what, byMs] of Object.entries({ over: 0, open: 1 })) {
    const timestamp_expires = new Date(ctx.now().getTime() + byMs)
    const row = { id: ctx.newId(), timestamp_expires, ...times }
    await peek
      .insertInto('user_sessions')
      .values({ ...row, token: what, user_id: id })
      .execute()
    await peek
      .insertInto('user_verifications')
      .values({ ...row, identifier: what, value: id })
      .execute()
  }
  await dropOldSessions(ctx)
  const sessions = await peek.selectFrom('user_sessions').select('token').execute()
  const signIns = await peek.selectFrom('user_verifications').select('identifier').execute()
  expect({ sessions, signIns }).toEqual({
    ...{ sessions: [{ token: 'open' }], signIns: [{ identifier: 'open' }] },
  })
})

test('who guesses waits: five times an account, ten times an address, right or wrong', async () => {
  await setUp(api)
  const enter = (email: string, given: string, address: string) =>
    openBrowser(api)
      .call('POST', '/app/session', { body: { email, password: given }, address })
      .then(outcome)
  for (let n = 0; n < 5; n++)
    expect(await enter(owner.email, 'wrong password', '10.0.0.1')).toBe('401 wrong_credentials')
  expect(await enter(owner.email, password, '10.0.0.1')).toBe('429 rate_limited')

  for (let n = 0; n < 10; n++)
    expect(await enter(`n${n}@example.com`, password, '10.0.1.1')).toBe('401 wrong_credentials')
  expect(await enter('other@example.com', password, '10.0.1.1')).toBe('429 rate_limited')
})

test('who guesses at the password of a person does not keep them from signing in elsewhere', async () => {
  await setUp(api)
  const enter = (given: string, address: string) =>
    openBrowser(api)
      .call('POST', '/app/session', { body: { email: owner.email, password: given }, address })
      .then(outcome)
  for (let n = 0; n < 6; n++) await enter('wrong password', '10.0.2.1')
  expect(await enter(password, '10.0.2.1')).toBe('429 rate_limited')
  expect(await enter(password, '10.0.3.1')).toBe('200 ok')
})

test('the addresses of one IPv6 network are counted as one', async () => {
  await setUp(api)
  const guess = (n: number, address: string) =>
    openBrowser(api)
      .call('POST', '/app/session', { body: { email: `n${n}@example.com`, password }, address })
      .then(outcome)
  for (let n = 0; n < 10; n++)
    expect(await guess(n, `2001:db8:0:1::${n + 1}`)).toBe('401 wrong_credentials')
  expect(await guess(10, '2001:db8:0:1:ffff::1')).toBe('429 rate_limited')
  expect(await guess(11, '2001:db8:0:2::1')).toBe('401 wrong_credentials')
  // An IPv4 address that is written so stands for itself alone.
  for (let n = 0; n < 11; n++)
    expect(await guess(20 + n, `::ffff:10.0.2.${n}`)).toBe('401 wrong_credentials')
})

test.each([
  ['codes', '/app/session/second-factor', { code: '000000' }, '401 wrong_credentials'],
  ['links', '/app/invitations/received', { token: 'unknown' }, '404 not_found'],
])(
  'behind one address ten %s a minute may be wrong, of whomever',
  async (_what, url, body, wrong) => {
    const enter = () =>
      openBrowser(api).call('POST', url, { body, address: '10.0.4.1' }).then(outcome)
    for (let n = 0; n < 10; n++) expect(await enter()).toBe(wrong)
    expect(await enter()).toBe('429 rate_limited')
  },
)

const nameless = '198.51.100.7'

test.each([
  [
    'codes',
    [nameless, `code ${nameless}`],
    'POST',
    '/app/session/second-factor',
    { code: '000000' },
  ],
  ['links', [`link ${nameless}`], 'POST', '/app/invitations/received', { token: 'unknown' }],
  ['set-up', ['set-up'], 'POST', '/app/set-up', { ...owner, token: 'unknown' }],
] as const)(
  'nobody shuts others out of %s by signing in as what their counter is called',
  async (_what, emails, method, url, body) => {
    await setUpToken(api)
    for (const email of emails) {
      for (let n = 0; n < 6; n++) {
        await openBrowser(api).call('POST', '/app/session', {
          ...{ body: { email, password: 'wrong password' }, address: `10.0.0.${n}` },
        })
      }
    }
    const { status } = await openBrowser(api).call(method, url, { body, address: nameless })
    expect([401, 404]).toContain(status)
  },
)

test('what fails on our side does not count as a failure', async () => {
  await setUp(api)
  const { pool } = api.ctx.database
  const body = { email: owner.email, password }
  const enter = () => openBrowser(api).call('POST', '/app/session', { body })
  await pool.query('alter table user_accounts rename to out_of_reach')
  for (let n = 0; n < 6; n++) expect((await enter()).status).toBe(500)
  await pool.query('alter table out_of_reach rename to user_accounts')
  expect(outcome(await enter())).toBe('200 ok')
})

test('while the database is away the door says with a 503 when to ask again', async () => {
  const { cookies } = await setUp(api)
  const away = connect('postgres://nobody@127.0.0.1:1/none', 2)
  const config = { ...api.ctx.config }
  const app = await buildApi({ ...api.ctx, config, db: away.db })
  const asked: [string, string, object?][] = [
    ['GET', '/app/session'],
    ['DELETE', '/app/session'],
    ['GET', '/app/audit'],
    ['PATCH', '/app/profile', { name: 'Ann' }],
    ['POST', '/app/profile/password', { current_password: password, new_password: 'x'.repeat(12) }],
    ['POST', '/app/session', { email: owner.email, password }],
  ]
  for (const [method, url, body] of asked) {
    const browser = openBrowser({ ...api, app, call: callOf(app) })
    for (const [name, value] of cookies) browser.cookies.set(name, value)
    const answer = await browser.call(method, url, { body })
    expect([method, url, outcome(answer)]).toEqual([method, url, '503 unavailable'])
    expect(answer.headers['retry-after']).toBe('1')
  }
  await app.close()
  await away.db.destroy()
})

test('a session that could not be ended is not said to have ended', async () => {
  const browser = await setUp(api)
  await api.ctx.database.pool.query(`
    create function no_room() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
    create trigger no_room before delete on user_sessions execute function no_room()`)
  expect(outcome(await browser.call('DELETE', '/app/session'))).toBe('503 unavailable')
  expect((await browser.call('GET', '/app/session')).body.user).not.toBeNull()
})

test('what succeeds does not count as a failure', async () => {
  await setUp(api)
  for (let n = 0; n < 12; n++) await signIn(api, owner)
})

test('a sign-in is taken from the application and from what is no browser, and from no other site', async () => {
  await setUp(api)
  const body = { email: owner.email, password }
  const senders: [string, Record<string, string>, string][] = [
    ['a form of another site', { 'sec-fetch-site': 'cross-site' }, '403 cross_site'],
    ['another host of the same site', { 'sec-fetch-site': 'same-site' }, '403 cross_site'],
    ['the application over HTTP', { origin: 'http://h.example', host: 'h.example' }, '200 ok'],
    ['another site over HTTP', { origin: 'http://evil.example', host: 'h' }, '403 cross_site'],
    ['an origin that hides', { origin: 'null', host: 'h.example' }, '403 cross_site'],
    ['what is no browser', {}, '200 ok'],
  ]
  for (const [who, headers, expected] of senders) {
    const answer = await api.call('POST', '/app/session', { body, key: null, headers })
    expect([who, outcome(answer)]).toEqual([who, expected])
  }
})

test('behind a proxy that is trusted the address that it names is the one that counts', async () => {
  await using proxied = await testApi({ trustedProxies: ['127.0.0.1/32'] })
  // Sessions end by the machine's clock, and those that have ended are not listed.
  await proxied.ctx.useRealTime()
  const browser = await setUp(proxied)
  const enter = (from: string, given: string) =>
    openBrowser(proxied).call('POST', '/app/session', {
      body: { email: `${from}@example.com`, password: given },
      headers: { 'x-forwarded-for': from },
    })
  for (let n = 0; n < 10; n++) await enter('192.0.2.1', `wrong ${n}`)
  const headers = { 'x-forwarded-for': '192.0.2.2' }
  const body = { email: owner.email, password }
  const other = openBrowser(proxied)
  expect((await other.call('POST', '/app/session', { body, headers })).status).toBe(200)
  const { items } = (await browser.call('GET', '/app/profile/sessions')).body
  expect(items.map((each: { ip_address: string }) => each.ip_address)).toContain('192.0.2.2')
})

test('requests of a person are counted together, of a workspace or of none', async () => {
  const browser = await setUp(api)
  const headers = { 'x-workspace-id': api.workspaceId }
  const answers = [
    await browser.call('GET', '/app/members', { headers }),
    await browser.call('GET', '/app/profile/sessions'),
    await browser.call('GET', '/app/workspaces'),
  ]
  const left = answers.map(({ headers }) => /r=(\d+)/.exec(String(headers.ratelimit))?.[1])
  expect(left).toEqual(['1999', '1998', '1997'])
})

test('a person changes their name', async () => {
  const browser = await setUp(api)
  const changed = await browser.call('PATCH', '/app/profile', { body: { name: ' Ann B. ' } })
  expect(changed.body.user).toMatchObject({ name: 'Ann B.' })
  expect((await browser.call('GET', '/app/session')).body.user).toMatchObject({ name: 'Ann B.' })
})

test('better-auth finds every table and column that it needs', async () => {
  const { getMigrations } = await import('better-auth/db/migration')
  const { options } = await authOf(api.ctx)
  const { toBeAdded, toBeCreated } = await getMigrations(options)
  expect({ toBeAdded, toBeCreated }).toEqual({ toBeAdded: [], toBeCreated: [] })
})

test('a password is kept by scrypt at its full cost wherever a test does not keep it otherwise', async () => {
  const { passwords: _quick, ...real } = api.ctx
  // Of another configuration it has hashed nothing yet.
  const hash = await hashPassword({ ...real, config: { ...real.config } }, password)
  const [salt = '', key] = hash.split(':')
  const cost = { N: 16_384, r: 16, p: 1, maxmem: 2 ** 26 }
  expect(scryptSync(password, salt, 64, cost).toString('hex')).toBe(key)
})

/** It takes no entry any more. */
const fillAuditLog = () =>
  api.ctx.database.pool.query(`
    create function no_room() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
    create trigger no_room before insert on audit_log execute function no_room()`)

test('a password whose reset the audit log does not take stays, and so does the link', async () => {
  const browser = await setUp(api)
  const { user } = (await browser.call('GET', '/app/session')).body
  const { path } = await createPasswordReset(api.ctx, user.id)
  await fillAuditLog()
  const next = 'another horse battery staple'
  const reset = () => resetPasswordBy(openBrowser(api), path, next)
  expect(outcome(await reset())).toBe('503 unavailable')
  await api.ctx.database.pool.query('drop trigger no_room on audit_log')
  await signIn(api, owner)
  expect((await reset()).status).toBe(200)
  await signIn(api, { ...owner, password: next })
})

test('a sign-in that the audit log does not take opens no session', async () => {
  await setUp(api)
  await fillAuditLog()
  const browser = openBrowser(api)
  const body = { email: owner.email, password }
  expect(outcome(await browser.call('POST', '/app/session', { body }))).toBe('503 unavailable')
  expect((await browser.call('GET', '/app/session')).body.user).toBeNull()
  const sessions = await api.ctx.database.peek.selectFrom('user_sessions').select('id').execute()
  expect(sessions).toHaveLength(1)
})

test('a sign-in is told to every workspace of the person, and to no other', async () => {
  const browser = await setUp(api)
  const { user } = (await browser.call('GET', '/app/session')).body
  const second = await createWorkspace(api.ctx, 'second')
  const others = await createWorkspace(api.ctx, 'of others')
  await transaction(api.ctx, (tx) =>
    addMember(tx, { workspaceId: second.id, userId: user.id, role: 'viewer' }, operator),
  )
  await signIn(api, owner)
  const signIns = async (workspaceId: string) => {
    const page = { limit: 100, startingAfter: undefined }
    const filter = { action: 'user.signed_in', actorId: user.id }
    return (await listAudit(api.ctx, workspaceId, page, filter)).items.length
  }
  expect(await Promise.all([api.workspaceId, second.id, others.id].map(signIns))).toEqual([2, 1, 0])
})

test('whoever sets up, signs in, sets a password, makes a workspace or joins one is in the audit log with the request', async () => {
  const browser = openBrowser(api)
  const headers = { 'x-workspace-id': api.workspaceId }
  const body = { ...owner, token: await setUpToken(api), workspace: 'Acme' }
  const setting = await browser.call('POST', '/app/set-up', { body })
  const login = { email: owner.email, password }
  const entering = await openBrowser(api).call('POST', '/app/session', { body: login })
  const next = { current_password: password, new_password: 'another horse battery staple' }
  const changing = await browser.call('POST', '/app/profile/password', { body: next })
  const making = await browser.call('POST', '/app/workspaces', { body: { name: 'Beta' } })
  const invite = { email: 'bob@example.com', role: 'viewer' }
  const invited = await browser.call('POST', '/app/invitations', { headers, body: invite })
  const account = { name: 'Bob', password }
  const joining = await acceptInvitation(openBrowser(api), invited.body.url, account)
  const link = await createPasswordReset(api.ctx, (await getUserByEmail(api.ctx, invite.email)).id)
  const resetting = await resetPasswordBy(openBrowser(api), link.path, 'a third horse battery')

  const { peek } = api.ctx.database
  const entries = peek.selectFrom('audit_log').where('actor_type', '=', 'user')
  const told = await entries.select(['action', 'request_id']).orderBy('id').execute()
  const by = ({ headers: { 'x-request-id': request_id } }: Answer, ...actions: string[]) =>
    actions.map((action) => ({ action, request_id }))
  expect(told).toEqual([
    ...by(setting, 'member.added', 'workspace.set', 'user.signed_in'),
    ...by(entering, 'user.signed_in'),
    ...by(changing, 'user.changed_password'),
    ...by(making, 'member.added'),
    ...by(invited, 'invitation.created'),
    ...by(joining, 'member.added', 'user.signed_in'),
    ...by(resetting, 'user.reset_password', 'user.signed_in'),
  ])
})
