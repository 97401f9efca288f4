import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { createServer } from '../../kernel/http/server.ts'
import { createUnknownPage, pageRoutes } from './index.ts'

const script = 'console.log("application")'
const folder = `${mkdtempSync(join(tmpdir(), 'outrider-pages-'))}/`
const document = '<!doctype html><style nonce="%NONCE%"></style><link nonce="%NONCE%">'

let ctx: TestContext
let server: Awaited<ReturnType<typeof serve>>
beforeAll(async () => {
  mkdirSync(`${folder}assets`)
  writeFileSync(`${folder}index.html`, document)
  writeFileSync(`${folder}color-scheme.js`, '/* scheme */')
  writeFileSync(`${folder}assets/main-4f2a.js`, script)
  writeFileSync(`${folder}assets/main-4f2a.js.br`, brotliCompressSync(script))
  mkdirSync(`${folder}earlier`)
  writeFileSync(`${folder}earlier/main-1b3c.js`, 'earlier')
  writeFileSync(`${folder}secret.txt`, 'secret')
  ctx = await testContext()
  server = await serve(folder)
})
afterAll(async () => {
  await server.close()
  await ctx[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

async function serve(from: string) {
  const app = createServer(ctx, {
    authenticate: async () => {
      throw new Error('There is no key.')
    },
    rateLimit: { consume: async () => ({}) },
    observe: () => undefined,
    showUnknownPage: createUnknownPage(from),
  })
  await app.register(pageRoutes, { folder: from })
  await app.ready()
  return app
}

test.each([
  ...['/', '/w/default/campaigns/1', '/sign-in', '/set-up', '/invitation', '/reset'],
  ...['/account', '/account/sessions'],
])('%s is the document, with a nonce of its own and a policy that knows it', async (url) => {
  const { statusCode, headers, body } = await server.inject(url)
  expect(statusCode).toBe(200)
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
  expect(headers['cache-control']).toBe('no-store')
  expect(headers['x-frame-options']).toBe('DENY')
  const nonce = /<style nonce="([\w-]{24})">/.exec(body)?.[1]
  expect(body).toBe(document.replaceAll('%NONCE%', String(nonce)))
  const policy = String(headers['content-security-policy'])
  expect(policy).toContain(`style-src 'self' 'nonce-${nonce}'`)
  expect(policy).toContain("default-src 'none'; script-src 'self';")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toContain('unsafe')
  expect((await server.inject(url)).body).not.toContain(String(nonce))
})

test('an asset is kept by browsers for good, and sent as it was compressed at the build', async () => {
  const plain = await server.inject('/assets/main-4f2a.js')
  expect(plain.body).toBe(script)
  expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  expect(plain.headers['content-type']).toMatch(/^(text|application)\/javascript/)
  expect(plain.headers['x-content-type-options']).toBe('nosniff')
  const headers = { 'accept-encoding': 'gzip, br' }
  const packed = await server.inject({ url: '/assets/main-4f2a.js', headers })
  expect(packed.headers['content-encoding']).toBe('br')
  expect(brotliDecompressSync(packed.rawPayload).toString()).toBe(script)
  expect((await server.inject('/color-scheme.js')).body).toBe('/* scheme */')
})

test('a page that was opened before an update gets what it has not loaded yet', async () => {
  for (const encoding of ['gzip, br', 'identity']) {
    const headers = { 'accept-encoding': encoding }
    const answer = await server.inject({ url: '/assets/main-1b3c.js', headers })
    expect(answer.statusCode).toBe(200)
    expect(answer.body).toBe('earlier')
    expect(answer.headers['content-encoding']).toBeUndefined()
    expect(answer.headers['cache-control']).toContain('immutable')
  }
})

test.each([
  ...['/assets/../secret.txt', '/assets/%2e%2e/secret.txt', '/assets/..%2fsecret.txt'],
  ...['/assets/', '/assets/none.js', '/index.html', '/secret.txt', '/wp-admin', '/w'],
])('%s is no page: a JSON 404', async (url) => {
  const answer = await server.inject(url)
  expect(answer.json()).toMatchObject({ statusCode: answer.statusCode })
  expect([400, 403, 404]).toContain(answer.statusCode)
  expect(answer.body).not.toContain('secret\n')
})

test('an address that leads nowhere shows a browser the application, and says so to programs', async () => {
  const accept = 'text/html, */*;q=0.8'
  const ask = (url: string, method: 'GET' | 'POST' = 'GET', mode = 'navigate') =>
    server.inject({ method, url, headers: { accept, 'sec-fetch-mode': mode } })
  for (const url of ['/inbox', '/settings/members?a=b', '/application']) {
    const answer = await ask(url)
    expect(answer.statusCode).toBe(404)
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(answer.body).toContain('<style nonce="')
    // As the clients of Java and of Node ask by themselves.
    const byProgram = await server.inject({ url, headers: { accept } })
    expect(byProgram.json()).toMatchObject({ code: 'unknown_path' })
    expect((await ask(url, 'GET', 'cors')).json()).toMatchObject({ code: 'unknown_path' })
    expect((await ask(url, 'POST')).json()).toMatchObject({ code: 'unknown_path' })
  }
  const belowApi = ['/api/v2/nothing', '/api', '//api/v2/nothing', '/API/nothing']
  for (const url of [...belowApi, '/app/nothing', '/app?a']) {
    expect((await ask(url)).json()).toMatchObject({ code: 'unknown_path' })
  }
})

test('without a build the pages say so', async () => {
  const empty = await serve(`${folder}nothing/`)
  for (const url of ['/', '/w/default', '/color-scheme.js']) {
    const answer = await empty.inject(url)
    expect(answer.statusCode).toBe(404)
    expect(answer.json().message).toContain('not built')
  }
  expect((await empty.inject('/assets/main-4f2a.js')).statusCode).toBe(404)
  await empty.close()
})
