import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { routesOf } from '../../src/kernel/http/route-table.ts'
import { testApi } from '../app.ts'
import { share } from '../thoroughness.ts'
import { readApplicationDocument, readDocument } from './document.ts'
import {
  hostileEncoded,
  hostileHeaders,
  hostileTexts,
  hostileValues,
  marker,
  toJson,
} from './hostile.ts'

// Before any test is named: the application says which routes it has beside those of the document.
const api = await testApi()
const paths = { ...(await readDocument(api.app)).paths, ...readApplicationDocument().paths }
const internal = routesOf(api.app).filter(
  ({ path }) => !(path.replaceAll(/:(\w+)/g, '{$1}') in paths),
)

afterAll(() => api[Symbol.asyncDispose]())

test('the internal routes are those that somebody thought about', () => {
  const names = new Set(internal.map(({ path }) => path))
  expect([...names].toSorted()).toEqual([
    ...[
      '/',
      '/account',
      '/account/*',
      '/app/auth/callback/oidc',
      '/app/live',
      '/app/try/:token',
      '/assets/*',
      '/c/:token',
      '/color-scheme.js',
      '/consent',
      '/docs',
    ],
    ...[
      '/docs/reference.js',
      '/health',
      '/invitation',
      '/mail-frame',
      '/metrics',
      '/o/:token',
      '/openapi.json',
    ],
    ...['/ready', '/reset', '/set-up', '/sign-in', '/u/:token', '/w/*'],
  ])
})

const parts = fc.constantFrom(
  ...hostileEncoded,
  ...hostileTexts.map((text) => encodeURIComponent(text.toWellFormed()).slice(0, 12_000)),
)
const bodies = fc.oneof(
  fc.constant(undefined),
  fc.constantFrom(...hostileTexts),
  fc.constantFrom(...hostileValues).map(toJson),
  fc.constant('List-Unsubscribe=One-Click'),
)
const requests = fc.record({
  part: parts,
  query: fc.option(parts, { nil: undefined }),
  headers: fc.constantFrom({}, ...hostileHeaders),
  body: bodies,
})

test.each(internal.map((route) => ({ ...route, name: `${route.method} ${route.path}` })))(
  'whatever is sent to $name, it answers without a fault, quotes nothing and changes nothing',
  async ({ method, path }) => {
    const before = await countRows()
    let sent = 0
    await fc.assert(
      fc.asyncProperty(requests, async ({ part, query, headers, body: payload }) => {
        sent += 1
        const url = `${path.replace(/:\w+/, part)}${query === undefined ? '' : `?a=${query}`}`
        const sends = method !== 'GET' && method !== 'HEAD' && payload !== undefined
        const answer = await api.app.inject({
          method: method as 'GET',
          url,
          // Each from an address of its own: who tries very often is told to wait.
          remoteAddress: `127.0.${sent >> 8}.${sent & 255}`,
          headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
          ...(sends ? { payload } : {}),
          // Else a large body is made a text each time, which no answer here need be.
          payloadAsStream: true,
        })
        const isApplication = path.startsWith('/app/')
        expect([200, 400, 404, ...(isApplication ? [401] : [])]).toContain(answer.statusCode)
        expect(answer.headers.location).toBeUndefined()
        expect(answer.headers['x-request-id']).toMatch(/^[\w.~:/+=-]{1,128}$/)
        if (path.includes(':')) expect(answer.statusCode).not.toBe(200)
        const body = Buffer.concat(await answer.stream().toArray())
        expect(body.includes(marker), 'quotes what was sent').toBe(false)
      }),
      // HEAD is answered by what answers GET.
      { numRuns: share(method === 'HEAD' ? 100 : 300) },
    )
    expect(await countRows()).toEqual(before)
  },
)

async function countRows(): Promise<Record<string, number>> {
  const { peek } = api.ctx.database
  const counts: Record<string, number> = {}
  for (const table of ['leads', 'events', 'suppressions', 'idempotency_answers', 'audit_log']) {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from ${sql.table(table)}`.execute(peek)
    counts[table] = rows[0]?.n ?? -1
  }
  return counts
}
