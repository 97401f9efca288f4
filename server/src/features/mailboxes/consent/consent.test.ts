import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { type TestApi, testApi } from '../../../../test/app.ts'
import { type Browser, setUp } from '../../../../test/browser.ts'
import { type MailServers, startMailServers } from '../../../../test/mail/mail-servers.ts'
import { type OAuthProvider, startOAuthProvider } from '../../../../test/mail/oauth-provider.ts'
import { createMember } from '../../../../test/people.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { keepSettings } from '../../../process/kept-settings.ts'
import {
  explainFailure,
  findMailboxes,
  openMailbox,
  reportMailboxError,
  testMailbox,
} from '../index.ts'
import { missingOf } from './providers.ts'

const anna = 'anna@example.com'
let servers: MailServers
let provider: OAuthProvider
let api: TestApi
let owner: Browser

beforeAll(async () => {
  // It warns of the keys that it makes up.
  vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  vi.spyOn(console, 'info').mockImplementation(() => undefined)
  servers = await startMailServers()
  provider = await startOAuthProvider(servers, 'http://127.0.0.1:3000/consent')
})
beforeEach(async () => {
  provider.givesRefreshTokens = true
  provider.withheld = undefined
  const client = { ...provider.client }
  api = await testApi({
    mailClients: { google: client },
  })
  // The provider tells the machine's time.
  await api.ctx.useRealTime()
  api.ctx.lookupText = async () => []
  owner = await setUp(api)
})
afterEach(() => api[Symbol.asyncDispose]())
afterAll(async () => {
  await provider[Symbol.asyncDispose]()
  await servers[Symbol.asyncDispose]()
})

const ask = (browser: Browser, path: string, body: object) =>
  browser.call('POST', `/app/mailboxes/consent${path}`, {
    body,
    headers: { 'x-workspace-id': api.workspaceId },
  })

const begin = async ({
  id,
  ...body
}: {
  id?: string
  provider?: string
  address?: string
} = {}): Promise<string> => {
  const headers = { 'x-workspace-id': api.workspaceId }
  const path = id === undefined ? '/app/mailboxes/consent' : `/app/mailboxes/${id}/consent`
  const answer = await owner.call('POST', path, { body: { provider: 'google', ...body }, headers })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body.url
}

/** What the provider sends the person back with. */
const answerOf = (url: URL) => Object.fromEntries(url.searchParams)
const picked = ({ code, state, error, error_description }: Record<string, string>) =>
  JSON.parse(JSON.stringify({ code, state, error, error_description }))

const finish = (given: object, browser = owner) => ask(browser, '/finish', given)

async function connect(login = anna, body: Parameters<typeof begin>[0] = {}) {
  const back = await provider.consentAt(await begin(body), login)
  return finish(picked(answerOf(back)))
}

test('a mailbox is connected by consent, and really sends and reads by it', async () => {
  const url = new URL(await begin({ address: anna }))
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    ...{ response_type: 'code', code_challenge_method: 'S256', access_type: 'offline' },
    ...{ redirect_uri: 'http://127.0.0.1:3000/consent', login_hint: anna },
    scope: 'https://mail.google.com/ openid email',
  })
  const { status, body } = await connect()
  expect(status, JSON.stringify(body)).toBe(201)
  expect(body).toMatchObject({
    ...{ address: anna, consent: 'google', status: 'connected' },
    smtp: { login: 'oauth2', username: anna },
    timestamp_access_renewed: null,
  })
  const { works, steps } = await testMailbox(api.ctx, api.workspaceId, body.id)
  expect(works, JSON.stringify(steps)).toBe(true)
  const headers = { 'x-workspace-id': api.workspaceId }
  const after = await owner.call('GET', `/app/mailboxes/${body.id}`, { headers })
  expect(after.body.timestamp_access_renewed).not.toBeNull()
  expect(JSON.stringify([after.body, api.ctx.logLines])).not.toContain(servers.anna.accessToken)
})

test('a consent that is taken back stops the mailbox with the reason; given anew, it is the same one', async () => {
  const { body: mailbox } = await connect()
  await provider.revoke()
  const { steps } = await testMailbox(api.ctx, api.workspaceId, mailbox.id)
  expect(steps.find(({ step }) => step === 'imap login')).toMatchObject({
    status: 'fail',
    detail: 'The consent to use this mailbox was withdrawn or has expired.',
    remedy: expect.stringContaining('Reconnect'),
  })
  const again = await connect(anna, { id: mailbox.id })
  // Not 201: the application offers a new mailbox settings to begin with.
  expect(again.status).toBe(200)
  expect(again.body).toMatchObject({ id: mailbox.id, status: 'connected', status_reason: null })
  expect((await testMailbox(api.ctx, api.workspaceId, mailbox.id)).works).toBe(true)
})

test('whoever reconnects with another account changes nothing', async () => {
  const { body: mailbox } = await connect()
  const other = await connect('bob@example.com', { id: mailbox.id })
  expect([other.status, other.body.code]).toEqual([409, 'consent_failed'])
  expect(other.body.message).toContain('another account')
  expect((await testMailbox(api.ctx, api.workspaceId, mailbox.id)).works).toBe(true)
})

test('whoever reconnects a mailbox that was removed meanwhile is told so, and not of another account', async () => {
  const { body: mailbox } = await connect()
  const back = await provider.consentAt(await begin({ id: mailbox.id }), anna)
  const headers = { 'x-workspace-id': api.workspaceId }
  expect((await owner.call('DELETE', `/app/mailboxes/${mailbox.id}`, { headers })).status).toBe(200)
  const { status, body } = await finish(picked(answerOf(back)))
  expect([status, body.code]).toEqual([409, 'consent_failed'])
  expect(body.message).toContain('was removed')
  expect((await owner.call('GET', '/app/mailboxes', { headers })).body.items).toEqual([])
})

test('a consent that is declined is said so', async () => {
  const back = await provider.consentAt(await begin(), anna, { cancel: true })
  const { status, body } = await finish(picked(answerOf(back)))
  expect([status, body.code]).toEqual([409, 'consent_failed'])
  expect(body.message).toContain('declined at Google')
})

test('access without a refresh token is refused, with what to do', async () => {
  provider.givesRefreshTokens = false
  const { status, body } = await connect()
  expect([status, body.code]).toEqual([409, 'consent_failed'])
  expect(body.message).toContain('Remove Outrider from the apps')
})

test('whoever leaves out the mails at the provider is told what to tick, and nothing is connected', async () => {
  provider.withheld = 'https://mail.google.com/'
  const { status, body } = await connect()
  expect([status, body.code]).toEqual([409, 'consent_failed'])
  expect(body.message).toContain('Begin again and tick what is named here on the page of Google.')
  expect(body.details).toEqual([
    {
      path: '/scope',
      message: 'Read, compose, send and permanently delete all your email from Gmail',
    },
  ])
  const headers = { 'x-workspace-id': api.workspaceId }
  const { body: list } = await owner.call('GET', '/app/mailboxes', { headers })
  expect(list.items).toEqual([])
})

test.each([
  ['IMAP.AccessAsUser.All SMTP.Send', []],
  ['imap.accessasuser.all smtp.send', []],
  ['SMTP.Send', ['Read and write access to your mail (IMAP.AccessAsUser.All)']],
  ['IMAP.AccessAsUser.All', ['Send mails from your mailbox (SMTP.Send)']],
])('of what Microsoft says was allowed, “%s”, it is known what is missing', (scopes, missing) => {
  const scope = scopes.split(' ').map((name) => `https://outlook.office.com/${name}`)
  expect(missingOf('microsoft', ['openid', ...scope].join(' '))).toEqual(missing)
})

test('a code is good once', async () => {
  const back = picked(answerOf(await provider.consentAt(await begin(), anna)))
  expect((await finish(back)).status).toBe(201)
  const { body } = await finish(back)
  expect(body.message).toBe(
    'The sign-in took too long, or its answer was used before. Begin again.',
  )
})

test('a state of somebody else, of another time or of nobody connects nothing', async () => {
  const back = picked(answerOf(await provider.consentAt(await begin(), anna)))
  const admin = await createMember(api, 'admin@team.example', 'admin')
  const stale = {
    ...back,
    state: `${api.workspaceId}.${Buffer.from('guess').toString('base64url')}`,
  }
  for (const answer of [await finish(back, admin.browser), await finish(stale)]) {
    expect([answer.status, answer.body.code]).toEqual([409, 'consent_failed'])
    expect(answer.body.message).toContain('Begin again under Mailboxes.')
  }
  api.ctx.clock.advance(11 * 60_000)
  expect((await finish(back)).body.message).toContain('more than ten minutes ago')
})

test('a client that the provider does not know is the operator’s to mend', async () => {
  const { google } = api.ctx.config.mailClients
  if (google) google.clientSecret = 'another'
  const { status, body } = await connect()
  expect([status, body.code]).toEqual([409, 'consent_failed'])
  expect(body.message).toContain('Google does not know the client of this installation')
})

test.each([
  ['admin_policy_enforced', '', 'An administrator of the organisation'],
  ['access_denied', 'AADSTS90094: The grant requires admin permission.', 'An administrator'],
  ['server_error', '', 'out of order'],
  ['<script>', '<img src=x>', 'without saying why'],
])('the provider’s %s is explained and never quoted', async (error, error_description, said) => {
  const state = new URL(await begin()).searchParams.get('state')
  const { body } = await finish({ state, error, error_description })
  expect(body.message).toContain(said)
  expect(body.message).not.toContain('<')
})

test('where no client is configured, the address to register is shown', async () => {
  api.ctx.config.mailClients = {}
  const headers = { 'x-workspace-id': api.workspaceId }
  const { body } = await owner.call('GET', '/app/mailboxes/consent', { headers })
  expect(body).toMatchObject({
    redirect_url: 'http://127.0.0.1:3000/consent',
    providers: [
      { provider: 'google', client_id: null },
      { provider: 'microsoft', client_id: null },
    ],
  })
  const answer = await ask(owner, '', { provider: 'google' })
  expect([answer.status, answer.body.code]).toEqual([409, 'not_ready'])
  expect(answer.body.message).toContain('GOOGLE_CLIENT_ID')
})

test('a process that was not told the client leaves the mailbox to others, in no error', async () => {
  const { body: mailbox } = await connect()
  const { ctx, workspaceId } = api
  await using _comparing = await keepSettings(ctx, 'api')
  const runner = {
    ...ctx,
    config: { ...ctx.config, mailClients: {} },
    keptSettings: new Map<string, string>(),
    http: { ...ctx.http, post: vi.fn(ctx.http.post) },
  }
  await using _others = await keepSettings(runner, 'runner')
  const failure = await openMailbox(runner, workspaceId, mailbox.id, 'smtp').catch((error) => error)
  expect(runner.http.post).not.toHaveBeenCalled()
  expect(explainFailure(failure, 'smtp').remedy).toContain('GOOGLE_CLIENT_ID')
  const report = (side: 'smtp' | 'imap') =>
    transaction(ctx, (tx) => reportMailboxError(tx, workspaceId, mailbox.id, side, failure))
  await report('smtp')
  await report('imap')
  expect(await findMailboxes(ctx.db, workspaceId, [mailbox.id])).toMatchObject([
    { status: 'connected' },
  ])
  expect((await testMailbox(ctx, workspaceId, mailbox.id)).works).toBe(true)
  expect(await openMailbox(runner, workspaceId, mailbox.id, 'smtp')).toBeDefined()
  await ctx.database.until(async () =>
    ctx.logLines.some((line) => line.includes('are left alone; give its id and secret')),
  )
})

test('a secret that the operator changes holds for consents that were given before', async () => {
  const { body: mailbox } = await connect()
  const { google } = api.ctx.config.mailClients
  if (google) google.clientSecret = 'renewed'
  const refused = await openMailbox(api.ctx, api.workspaceId, mailbox.id, 'imap').catch((failure) =>
    explainFailure(failure, 'imap'),
  )
  expect(refused).toMatchObject({
    what: 'The provider does not know the application that logs in.',
  })
})
