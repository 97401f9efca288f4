import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { type Browser, openBrowser, owner, password, setUp, signIn } from '../../../test/browser.ts'
import { codeOf } from '../../../test/second-factor.ts'

const clientId = 'outrider'
const clientSecret = 'a secret of thirty-two characters'
const baseUrl = 'http://127.0.0.1:3000'

let server: Server
let issuer: string
let isVerified = true
/** To where a code is exchanged for who somebody is. */
let exchanges = 0
let api: TestApi | undefined

beforeAll(async () => {
  // It warns of the keys that it makes up.
  vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  vi.spyOn(console, 'info').mockImplementation(() => undefined)
  const { default: Provider } = await import('oidc-provider')
  const { createServer } = await import('node:http')
  server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${baseUrl}/app/auth/callback/oidc`],
      },
    ],
    pkce: { required: () => true },
    claims: { email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    findAccount: async (_ctx: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({ sub: id, email: id, email_verified: isVerified }),
    }),
  })
  const answer = provider.callback()
  server.on('request', (request, response) => {
    if (request.url === '/token') exchanges += 1
    void answer(request, response)
  })
})
afterEach(async () => {
  isVerified = true
  await api?.[Symbol.asyncDispose]()
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

async function start(): Promise<TestApi> {
  api = await testApi({ oidc: { issuer, clientId, clientSecret, name: 'Example login' } })
  return api
}

/** What a person does at the provider: enters a name, agrees. @returns where it sends them */
async function signInAt(url: string, login: string): Promise<URL> {
  const cookies = new Map<string, string>()
  const visit = async (to: string, form?: Record<string, string>) => {
    const response = await fetch(new URL(to, issuer), {
      redirect: 'manual',
      headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
    })
    for (const text of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
      cookies.set(name, value)
    }
    await response.text()
    return response.headers.get('location') ?? ''
  }
  let next = await visit(url)
  for (const form of [{ prompt: 'login', login, password: 'any' }, { prompt: 'consent' }]) {
    if (next.startsWith(baseUrl)) break
    next = await visit(await visit(next, form))
  }
  return new URL(next)
}

async function enter(browser: Browser, login: string) {
  const begun = await browser.call('POST', '/app/session/oidc', { body: {} })
  expect(begun.status, JSON.stringify(begun.body)).toBe(200)
  const back = await signInAt(begun.body.url, login)
  return browser.visit(back.pathname + back.search)
}

const userOf = async (browser: Browser) => (await browser.call('GET', '/app/session')).body.user

test('a person signs in elsewhere by the address that both sides know', async () => {
  await setUp(await start())
  const browser = openBrowser(api as TestApi)
  expect((await browser.call('GET', '/app/session')).body.oidc_name).toBe('Example login')
  expect(await enter(browser, owner.email)).toBe(`${baseUrl}/`)
  expect(await userOf(browser)).toMatchObject({ email: owner.email })
  const { peek } = (api as TestApi).ctx.database
  const accounts = await peek.selectFrom('user_accounts').selectAll().execute()
  expect(accounts.find((each) => each.provider_id === 'oidc')).toMatchObject({
    ...{ account_id: owner.email, access_token: null, id_token: null },
  })
  // Known by the subject from then on.
  const again = openBrowser(api as TestApi)
  await enter(again, owner.email)
  expect(await userOf(again)).toMatchObject({ email: owner.email })
  const told = await peek
    .selectFrom('audit_log')
    .select('action')
    .where('action', '=', 'user.signed_in')
    .execute()
  expect(told).toHaveLength(3)
})

test('who signs in elsewhere for the first time is from then on the only one who gets in', async () => {
  const before = await setUp(await start())
  const browser = openBrowser(api as TestApi)
  await enter(browser, owner.email)
  expect(await userOf(browser)).toMatchObject({ email: owner.email })
  expect(await userOf(before)).toBeNull()
  await expect(signIn(api as TestApi, owner)).rejects.toThrow('wrong_credentials')
  const change = { current_password: owner.password, new_password: 'another battery staple' }
  const refused = await browser.call('POST', '/app/profile/password', { body: change })
  expect([refused.status, refused.body.code]).toEqual([409, 'invalid_transition'])
  expect(refused.body.message).toMatch(/^You sign in at your provider and have no password here/)
  // Not so the second time: then a session and a password are the person's own.
  await enter(openBrowser(api as TestApi), owner.email)
  expect(await userOf(browser)).toMatchObject({ email: owner.email })
})

test('whoever has turned a second factor on for somebody else does not get in by it', async () => {
  const before = await setUp(await start())
  const begun = await before.call('POST', '/app/profile/second-factor', { body: { password } })
  const { uri, backup_codes } = begun.body as { uri: string; backup_codes: string[] }
  const body = { code: codeOf(uri) }
  expect((await before.call('POST', '/app/profile/second-factor/confirm', { body })).status).toBe(
    200,
  )
  const halfWay = await signIn(api as TestApi, owner)
  expect(await userOf(halfWay)).toBeNull()
  const browser = openBrowser(api as TestApi)
  await enter(browser, owner.email)
  const code = { code: backup_codes[0], is_backup_code: true }
  expect((await halfWay.call('POST', '/app/session/second-factor', { body: code })).status).toBe(
    401,
  )
  expect(await userOf(browser)).toMatchObject({ email: owner.email, has_second_factor: false })
})

test('it makes no account, and links none by an address that is not verified', async () => {
  await setUp(await start())
  const stranger = openBrowser(api as TestApi)
  expect(await enter(stranger, 'stranger@example.com')).toBe(`${baseUrl}/sign-in?error=oidc`)
  expect(await userOf(stranger)).toBeNull()
  isVerified = false
  const impostor = openBrowser(api as TestApi)
  expect(await enter(impostor, owner.email)).toBe(`${baseUrl}/sign-in?error=oidc`)
  expect(await userOf(impostor)).toBeNull()
})

test('whoever begins to sign in elsewhere writes nothing', async () => {
  await setUp(await start())
  const begun = await openBrowser(api as TestApi).call('POST', '/app/session/oidc', { body: {} })
  expect(begun.status).toBe(200)
  const { peek } = (api as TestApi).ctx.database
  expect(await peek.selectFrom('user_verifications').selectAll().execute()).toEqual([])
})

test('a callback that nobody began here opens nothing', async () => {
  await setUp(await start())
  const mine = openBrowser(api as TestApi)
  const begun = await mine.call('POST', '/app/session/oidc', { body: {} })
  const back = await signInAt(begun.body.url, owner.email)
  const other = openBrowser(api as TestApi)
  expect(await other.visit(back.pathname + back.search)).toBe(
    `${baseUrl}/sign-in?error=oidc-failed`,
  )
  expect(await userOf(other)).toBeNull()
})

test('who gives up at the provider, or whom it fails, is not told to ask for an invitation', async () => {
  const { ctx } = await start()
  await setUp(api as TestApi)
  const comeBack = async (change: (query: URLSearchParams) => void) => {
    const browser = openBrowser(api as TestApi)
    const begun = await browser.call('POST', '/app/session/oidc', { body: {} })
    const back = await signInAt(begun.body.url, owner.email)
    change(back.searchParams)
    return browser.visit(back.pathname + back.search)
  }
  const failures = () => ctx.logLines.filter((line) => line.includes('OpenID Connect failed'))
  const given = await comeBack((query) => {
    query.delete('code')
    query.set('error', 'access_denied')
  })
  expect(given).toBe(`${baseUrl}/sign-in?error=oidc-failed`)
  const refused = await comeBack((query) => query.set('code', 'another'))
  expect(refused).toBe(`${baseUrl}/sign-in?error=oidc-failed`)
  expect(failures()).toEqual([
    expect.stringContaining('"error":"access_denied"'),
    expect.stringContaining('"error":"invalid_code"'),
  ])
})

test('whoever comes back with codes that are none asks the provider no more often than passwords may be tried', async () => {
  await setUp(await start())
  const guesser = openBrowser(api as TestApi)
  const { body } = await guesser.call('POST', '/app/session/oidc', { body: {} })
  const state = new URL(body.url).searchParams.get('state') ?? ''
  const cookies = [...guesser.cookies]
  const guess = (address: string) => {
    for (const [name, value] of cookies) guesser.cookies.set(name, value)
    const url = `/app/auth/callback/oidc?state=${state}&code=x`
    return guesser.call('GET', url, { address })
  }
  exchanges = 0
  const answers = await Promise.all(Array.from({ length: 15 }, () => guess('192.0.2.1')))
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status === 302)).toHaveLength(10)
  expect(statuses.filter((status) => status === 429)).toHaveLength(5)
  expect(exchanges).toBe(10)
  // Whoever fails there may be a whole office whose provider is away.
  const credentials = { email: owner.email, password: owner.password }
  const colleague = openBrowser(api as TestApi)
  const signIn = { body: credentials, address: '192.0.2.1' }
  expect((await colleague.call('POST', '/app/session', signIn)).status).toBe(200)
  for (let n = 0; n < 12; n++) {
    const browser = openBrowser(api as TestApi)
    expect(await enter(browser, owner.email)).toBe(`${baseUrl}/`)
  }
})

test('a provider that does not answer is named as what is away', async () => {
  const oidc = { issuer: 'http://127.0.0.1:1', clientId, clientSecret, name: 'Example login' }
  api = await testApi({ oidc })
  await setUp(api)
  const { status, body, headers } = await openBrowser(api).call('POST', '/app/session/oidc')
  expect({ status, code: body.code }).toEqual({ status: 503, code: 'unavailable' })
  expect(body.message).toMatch(/^The provider does not answer/)
  expect(headers['retry-after']).toBeDefined()
})

test('where none is configured there is none', async () => {
  api = await testApi()
  const browser = openBrowser(api)
  expect((await browser.call('POST', '/app/session/oidc', { body: {} })).status).toBe(409)
})
