import { gunzipSync } from 'node:zlib'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { docsRoutes } from './docs.ts'

let app: FastifyInstance
beforeAll(async () => {
  app = Fastify({ routerOptions: { ignoreTrailingSlash: true } })
  await app.register(docsRoutes)
  await app.ready()
})
afterAll(() => app.close())

test.each(['/docs', '/docs/'])('%s is a page, not a redirect', async (url) => {
  const { statusCode, headers } = await app.inject(url)
  expect(statusCode).toBe(200)
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
})

test('the page names no other host, and may reach none', async () => {
  const { body, headers } = await app.inject('/docs')
  expect(body).not.toMatch(/\w+:\/\/|["']\/\//)
  const policy = String(headers['content-security-policy']).split(';')
  expect(policy).toContain("default-src 'none'")
  const sources = policy.flatMap((directive) => directive.split(' ').slice(1))
  expect(new Set(sources)).toEqual(new Set(["'none'", "'self'", "'unsafe-inline'", 'data:']))
  const scripts = policy.find((directive) => directive.startsWith('script-src'))
  expect(scripts).toBe("script-src 'self'")
})

test('everything the page loads is there', async () => {
  const { body } = await app.inject('/docs')
  const paths = [...body.matchAll(/(?:src|data-url)="([^"]+)"/g)].map(([, path]) => path)
  expect(paths).toEqual(['/openapi.json', '/docs/reference.js'])
  const script = await app.inject('/docs/reference.js')
  expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8')
  expect(gunzipSync(script.rawPayload).toString()).toContain('createApiReference')
})

test('nothing asks for a key, and nobody is told of a visit', async () => {
  const { body } = await app.inject('/docs')
  const settings = /data-configuration="([^"]+)"/.exec(body)?.[1]?.replaceAll('&quot;', '"')
  expect(JSON.parse(String(settings))).toMatchObject({
    hideTestRequestButton: true,
    telemetry: false,
    withDefaultFonts: false,
    agent: { disabled: true },
  })
})
