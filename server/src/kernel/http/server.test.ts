import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { buildApi } from '../../app.ts'
import { connect as connectDatabase } from '../db/db.ts'

let api: TestApi
let port: number
beforeAll(async () => {
  api = await testApi()
  await api.app.listen({ port: 0, host: '127.0.0.1' })
  port = (api.app.server.address() as { port: number }).port
})
afterAll(() => api[Symbol.asyncDispose]())

const keys = '/oauth/service-accounts'
const valid = { name: 'n', scopes: ['leads:read'] }

/** Sends bytes as they are and reads until the server closes or has answered. */
function raw(text: string): Promise<{ status: number; headers: string; body: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
      const [head = '', ...rest] = received.split('\r\n\r\n')
      const body = rest.join('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? -1)
      if (length >= 0 && Buffer.byteLength(body) >= length) socket.end()
    })
    socket.on('close', () => {
      const [headers = '', ...rest] = received.split('\r\n\r\n')
      const status = Number(headers.split(' ')[1])
      resolve({ status, headers, body: rest.join('\r\n\r\n') })
    })
    socket.on('error', reject)
  })
}

/** Sends bytes as they are over one connection, each when what is waited for has come. */
async function converse(...turns: [send: string, until: RegExp][]): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1')
  let received = ''
  let isClosed = false
  socket.on('data', (text) => {
    received += text
  })
  const closed = new Promise<void>((resolve) => socket.once('close', resolve)).then(() => {
    isClosed = true
  })
  for (const [send, until] of turns) {
    received = ''
    socket.write(send)
    while (!until.test(received) && !isClosed) await Promise.race([once(socket, 'data'), closed])
    expect(received).toMatch(until)
  }
  socket.destroy()
  return received
}

const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
  api.app
    .inject({
      method: 'POST',
      url: keys,
      headers: {
        authorization: `Bearer ${api.key}`,
        'content-type': 'application/json',
        ...headers,
      },
      payload: body,
    })
    .then((response) => ({ status: response.statusCode, body: response.json() }))

describe('the order of checks', () => {
  test('an unknown path is a 404 even without a key', async () => {
    const answer = await api.call('GET', '/api/v2/nothing', { key: null })
    expect(answer.status).toBe(404)
    expect(answer.body).toMatchObject({ statusCode: 404, error: 'Not Found', code: 'unknown_path' })
    expect(answer.headers.allow).toBeUndefined()
  })

  test.each(['PUT', 'PATCH', 'OPTIONS', 'TRACE'])(
    '%s on a known path is a 404 with Allow',
    async (method) => {
      const answer = await raw(`${method} ${keys} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`)
      expect(answer.status).toBe(404)
      expect(answer.headers.toLowerCase()).toMatch(/allow: .*get.*post|allow: .*post.*get/)
      expect(JSON.parse(answer.body).code).toBe('unknown_path')
    },
  )

  test('Allow names each method once, and only what the path itself answers', async () => {
    const allowOf = async (url: string) => (await api.call('POST', url)).headers.allow
    const id = '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d'
    expect(await allowOf('/api/v2/webhooks/event-types')).toBe('GET, HEAD')
    expect(await allowOf(`/api/v2/webhooks/${id}`)).toBe('GET, HEAD, PATCH, DELETE')
    expect(await allowOf('/openapiXjson')).toBeUndefined()
  })

  test.each(['QUERY', 'BREW', 'M-SEARCH'])(
    '%s, which no path answers, is a 404 with Allow, whether Node knows it or not',
    async (method) => {
      const path = '/api/v2/webhooks/019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d'
      const answer = await raw(`${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`)
      expect(answer.status).toBe(404)
      expect(answer.headers.toLowerCase()).toContain('allow: get, head, patch, delete')
      expect(JSON.parse(answer.body).code).toBe('unknown_path')
    },
  )

  test('an id that is not there is an unknown path, also without a key', async () => {
    const answer = await api.call('GET', '/api/v2/campaigns//', { key: null })
    expect([answer.status, answer.body.code]).toEqual([404, 'unknown_path'])
  })

  test('an unknown path is a 404 whatever its body is', async () => {
    const answer = await api.app.inject({
      ...{ method: 'POST', url: '/api/v2/nothing', payload: '<x/>' },
      headers: { 'content-type': 'text/xml' },
    })
    expect([answer.statusCode, answer.json().code]).toEqual([404, 'unknown_path'])
  })

  test('a bad body of a request without a key is a 401', async () => {
    const answer = await api.call('POST', keys, { key: null, body: {} })
    expect(answer.status).toBe(401)
    expect(answer.body.code).toBe('missing_key')
    expect(answer.headers['www-authenticate']).toBe('Bearer')
  })

  test('a workspace mismatch comes before a missing scope', async () => {
    const key = await api.createKey(['leads:read'])
    const stranger = await api.createStranger()
    const headers = { 'x-workspace-id': stranger.workspaceId }
    expect((await api.call('GET', keys, { key, headers })).body.code).toBe('workspace_mismatch')
    expect((await api.call('GET', keys, { key })).body.code).toBe('missing_scope')
  })

  test('a missing scope is told with those of the key as they were given', async () => {
    const key = await api.createKey(['webhooks:*'])
    const { body } = await api.call('GET', keys, { key })
    expect([body.code, body.message]).toEqual([
      'missing_scope',
      'This needs the scope service_accounts:read; the key holds webhooks:*.',
    ])
  })

  test('a missing scope comes before a bad body', async () => {
    const key = await api.createKey(['leads:read'])
    expect((await api.call('POST', keys, { key, body: {} })).status).toBe(403)
  })
})

describe('the bearer key', () => {
  test.each([
    ['another scheme', 'Basic abc', 'missing_key'],
    ['an empty token', 'Bearer ', 'missing_key'],
    ['two tokens', 'Bearer a b', 'missing_key'],
    ['a typo', `Bearer ork_${'0'.repeat(49)}`, 'invalid_key'],
    ['nonsense', 'Bearer nonsense', 'invalid_key'],
  ])('%s is refused', async (_what, authorization, code) => {
    const answer = await api.call('GET', keys, { key: null, headers: { authorization } })
    expect(answer.status).toBe(401)
    expect(answer.body.code).toBe(code)
  })

  test('the scheme is case-insensitive', async () => {
    const headers = { authorization: `bEARER ${api.key}` }
    expect((await api.call('GET', keys, { key: null, headers })).status).toBe(200)
  })

  test('a key in the query string is never read', async () => {
    const answer = await api.call('GET', `${keys}?access_token=${api.key}`, { key: null })
    expect(answer.body.code).toBe('missing_key')
  })

  test('a repeated Authorization header is refused', async () => {
    const line = `Authorization: Bearer ${api.key}\r\n`
    const answer = await raw(`GET ${keys} HTTP/1.1\r\nHost: x\r\n${line}${line}\r\n`)
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.body).code).toBe('malformed_request')
  })

  test.each(['', 'own', 'OWN'])(
    'X-Workspace-ID %j of the own workspace is accepted',
    async (given) => {
      const id = given === 'OWN' ? api.workspaceId.toUpperCase() : api.workspaceId
      const headers = { 'x-workspace-id': given === '' ? '' : id }
      expect((await api.call('GET', keys, { headers })).status).toBe(200)
    },
  )

  test('a malformed X-Workspace-ID is a 403', async () => {
    const answer = await api.call('GET', keys, { headers: { 'x-workspace-id': 'mine' } })
    expect(answer.body.code).toBe('workspace_mismatch')
  })
})

describe('bodies', () => {
  test.each([
    ['malformed JSON', '{"name": '],
    ['text', '"name"'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a NUL', '{"name": "a\\u0000b", "scopes": ["leads:read"]}'],
    ['a lone surrogate', '{"name": "\\ud800", "scopes": ["leads:read"]}'],
    ['a repeated key', '{"name": "a", "name": "b", "scopes": ["leads:read"]}'],
    ['a __proto__ key', '{"__proto__": {"scopes": []}, "name": "a", "scopes": ["leads:read"]}'],
    ['nesting over 32', `{"name": ${'['.repeat(40)}${']'.repeat(40)}}`],
  ])('%s is an invalid_json', async (_what, body) => {
    const answer = await post(body)
    expect(answer.status).toBe(400)
    expect(answer.body.code).toBe('invalid_json')
  })

  test('invalid UTF-8 is an invalid_json', async () => {
    const body = Buffer.concat([Buffer.from('{"name": "'), Buffer.from([0xff]), Buffer.from('"}')])
    expect((await post(body)).body.code).toBe('invalid_json')
  })

  test('1 MiB is read, one byte more is body_too_large', async () => {
    const limit = 1024 * 1024
    const shell = JSON.stringify({ name: '' })
    const exact = JSON.stringify({ name: 'x'.repeat(limit - shell.length) })
    expect((await post(exact)).body.code).toBe('invalid_field')
    const { body } = await post(`${exact} `)
    expect(body).toMatchObject({
      code: 'body_too_large',
      message: expect.stringContaining('1 MiB'),
      details: [{ path: '', message: body.message }],
    })
  })

  describe('a body that is too large', () => {
    const begin = `POST ${keys} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`
    const next = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n'
    const bytes = 2 * 1024 * 1024
    const half = ' '.repeat(bytes / 2 + 1)

    test.each([
      ['by its length', `Content-Length: ${bytes + 2}`, '', `${half}${half}`],
      [
        'on its way',
        'Transfer-Encoding: chunked',
        `${(bytes + 2).toString(16)}\r\n${half}`,
        `${half}\r\n0\r\n\r\n`,
      ],
    ])(
      'is refused %s, and what still comes of it breaks nothing',
      async (_how, length, first, rest) => {
        const head = `${begin}Authorization: Bearer ${api.key}\r\n${length}\r\n\r\n`
        const after = await converse(
          [head + first, /^HTTP\/1.1 400 .*body_too_large.*}$/s],
          [rest + next, /{"status":"ok"}$/],
        )
        expect(after).toMatch(/^HTTP\/1.1 200 /)
      },
    )

    test('is not asked for, nor is one of who is not let in; any other is', async () => {
      const asking = (length: number, key: string) =>
        `${begin}Authorization: Bearer ${key}\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`
      const isAnswer = /^HTTP.*\r\n\r\n/s
      expect(await converse([asking(bytes, api.key), isAnswer])).toMatch(/^HTTP\/1.1 400 /)
      expect(await converse([asking(bytes, 'none'), isAnswer])).toMatch(/^HTTP\/1.1 401 /)
      const body = JSON.stringify(valid)
      const asked = /^HTTP\/1.1 100 Continue\r\n\r\n$/
      const made = await converse([asking(body.length, api.key), asked], [body, isAnswer])
      expect(made).toMatch(/^HTTP\/1.1 201 /)
      const old = asking(body.length, api.key).replace('HTTP/1.1', 'HTTP/1.0')
      expect(await converse([old + body, isAnswer])).toMatch(/^HTTP\/1.1 201 /)
    })
  })

  test.each([
    ['text/plain', 400],
    ['application/x-www-form-urlencoded', 400],
    ['application/json; charset=latin1', 400],
    ['application/json; charset=UTF-8', 201],
    ['application/json;charset="utf-8"', 201],
    ['application/vnd.api+json', 201],
  ])('Content-Type %s is a %d', async (type, status) => {
    const answer = await post(JSON.stringify(valid), { 'content-type': type })
    expect(answer.status).toBe(status)
    if (status === 400) expect(answer.body.code).toBe('unsupported_media_type')
  })

  test.each(['undefined', 'null', ''])(
    'the Content-Type %j of a request without a body says nothing',
    async (type) => {
      const head = `Host: x\r\nAuthorization: Bearer ${api.key}\r\nContent-Type: ${type}\r\n`
      const find = '/api/v1/leadbank/find'
      const key = `${keys}/019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d`
      for (const length of ['', 'Content-Length: 0\r\n']) {
        expect((await raw(`POST ${find} HTTP/1.1\r\n${head}${length}\r\n`)).status).toBe(200)
        expect((await raw(`DELETE ${key} HTTP/1.1\r\n${head}${length}\r\n`)).status).toBe(404)
      }
      const ignored = `${head}Content-Length: 3\r\n\r\n{{{`
      expect((await raw(`DELETE ${key} HTTP/1.1\r\n${ignored}`)).status).toBe(404)
      const refused = await raw(`POST ${find} HTTP/1.1\r\n${head}Content-Length: 2\r\n\r\n{}`)
      expect(JSON.parse(refused.body).code).toBe('unsupported_media_type')
    },
  )

  test('a Content-Encoding is refused', async () => {
    const answer = await post(JSON.stringify(valid), { 'content-encoding': 'gzip' })
    expect(answer.body.code).toBe('unsupported_media_type')
  })

  test('a Transfer-Encoding around the body but chunked is refused, and says so', async () => {
    const head = `POST ${keys} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\n`
    const body = '2\r\n{}\r\n0\r\n\r\n'
    const codeOf = async (encoding: string) =>
      JSON.parse((await raw(`${head}Transfer-Encoding: ${encoding}\r\n\r\n${body}`)).body).code
    expect(await codeOf('gzip, chunked')).toBe('unsupported_media_type')
    expect(await codeOf('Chunked')).toBe('invalid_field')
  })

  test('a PATCH without a body changes nothing, as one with an empty object', async () => {
    const made = await api.call('POST', '/api/v2/campaigns', { body: { name: 'as it is' } })
    const url = `/api/v2/campaigns/${made.body.id}`
    for (const request of [{}, { body: {} }]) {
      expect(await api.call('PATCH', url, request)).toMatchObject({ status: 200, body: made.body })
    }
  })

  test('an unknown field is named, with the accepted ones', async () => {
    const answer = await post(JSON.stringify({ ...valid, scope: 'leads:read' }))
    expect(answer.body.code).toBe('unknown_field')
    expect(answer.body.details[0].path).toBe('/scope')
    expect(answer.body.message).toContain('scopes')
  })

  describe('of many rows', () => {
    const add = async (rows: number, faulty: (index: number) => boolean, more = {}) => {
      const body = await api.call('POST', '/api/v2/campaigns', { body: { name: 'rows' } })
      const leads = Array.from({ length: rows }, (_, index) => ({
        email: `a${index}@lead.example`,
        first_name: faulty(index) ? 7 : 'Ann',
        ...{ last_name: 'Bell', company_name: 'Acme', ...more },
      }))
      return api.call('POST', '/api/v2/lead/add', { body: { campaign_id: body.body.id, leads } })
    }

    test('each faulty one is told, however large the body is', async () => {
      const { status, body } = await add(1000, (index) => [3, 500, 999].includes(index))
      expect([status, body.code, body.message]).toEqual([
        ...[400, 'invalid_field', 'leads.3.first_name must be a string or null'],
      ])
      const paths = body.details.map(({ path }: { path: string }) => path)
      expect(paths).toEqual([
        '/leads/3/first_name',
        '/leads/500/first_name',
        '/leads/999/first_name',
      ])
    })

    test.each([
      ['of a wrong type', () => true, {}],
      ['that no variable can have', () => false, { tags: ['a'] }],
    ])('100 faults %s are told, and that there are more', async (_what, faulty, more) => {
      const { body } = await add(1000, faulty, more)
      expect(body.details).toHaveLength(100)
      expect(body.message).toMatch(/^leads\.0\..*; more is wrong than these 100 details$/)
      const whole = await add(100, faulty, more)
      expect([whole.body.details.length, whole.body.message]).toEqual([
        ...[100, whole.body.details[0].message],
      ])
    })

    test('members of an object that are called as numbers are no rows', async () => {
      const headers = Object.fromEntries(Array.from({ length: 900 }, (_, name) => [name, [1, 2]]))
      const body = { name: 'n', target_hook_url: 'https://a.example/', event_type: 'all_events' }
      const answer = await api.call('POST', '/api/v2/webhooks', { body: { ...body, headers } })
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_field'])
    })
  })

  test('beside a wrong field an unknown one comes last, as the code and the message are of the wrong one', async () => {
    const { body } = await post(JSON.stringify({ colour: 1, ...valid, name: 7 }))
    expect([body.code, body.message]).toEqual(['invalid_field', 'name must be a string'])
    const paths = body.details.map(({ path }: { path: string }) => path)
    expect(paths).toEqual(['/name', '/colour'])
  })

  test('accepted are not those that cannot be changed', async () => {
    const webhook = { name: 'n', target_hook_url: 'http://127.0.0.1:1/', event_type: 'all_events' }
    const made = await api.call('POST', '/api/v2/webhooks', { body: webhook })
    const url = `/api/v2/webhooks/${made.body.id}`
    const { body } = await api.call('PATCH', url, { body: { colour: 'red' } })
    expect(body.message).toMatch(/^colour is not a known field; accepted are .*name, .*status$/)
    expect(body.message).not.toContain('timestamp')
  })

  test.each([
    ['a text', { scopes: 'leads:read' }, 'scopes must be an array'],
    ['an empty list', { scopes: [] }, 'scopes must have at least 1 item'],
    ['an unknown one of two', { scopes: ['leads:read', 'x:y'] }, /^scopes\.1 is an unknown scope/],
  ])('%s instead of scopes is told in words', async (_what, wrong, message) => {
    expect((await post(JSON.stringify({ ...valid, ...wrong }))).body.message).toMatch(message)
  })

  test('the path of an unknown field is a JSON pointer, whatever its name', async () => {
    const answer = await post(JSON.stringify({ ...valid, 'a/b~c': 1 }))
    expect(answer.body).toMatchObject({ code: 'unknown_field', details: [{ path: '/a~1b~0c' }] })
  })

  test.each([null, false, '', [], {}])(
    'an unknown field that says nothing (%j) is ignored',
    async (value) => {
      expect((await post(JSON.stringify({ ...valid, colour: value }))).status).toBe(201)
    },
  )

  test('an unknown field that says nothing is named in no fault of the others', async () => {
    const answer = await post(JSON.stringify({ ...valid, name: undefined, colour: '', size: 1 }))
    const paths = answer.body.details.map(({ path }: { path: string }) => path)
    expect(paths.toSorted()).toEqual(['/name', '/size'])
  })

  test('null equals omitted', async () => {
    const body = JSON.stringify({ ...valid, timestamp_expires: null })
    expect((await post(body)).status).toBe(201)
    expect((await post(JSON.stringify({ ...valid, name: null }))).body.details[0].path).toBe(
      '/name',
    )
  })

  test('a body on GET and DELETE is ignored', async () => {
    const head = `Host: x\r\nAuthorization: Bearer ${api.key}\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n{{{`
    expect((await raw(`GET ${keys} HTTP/1.1\r\n${head}`)).status).toBe(200)
    const id = '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d'
    expect((await raw(`DELETE ${keys}/${id} HTTP/1.1\r\n${head}`)).status).toBe(404)
  })

  test('messages never echo the value', async () => {
    const answer = await post(JSON.stringify({ name: 'n', scopes: ['hunter2@example.com'] }))
    expect(JSON.stringify(answer.body)).not.toContain('hunter2')
  })
})

describe("what Node's parser refuses, or should", () => {
  test.each([
    ['headers of 20 KiB', `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_480)}\r\n\r\n`],
    ['a broken request line', 'nonsense\r\n\r\n'],
    ['no Host', 'GET /health HTTP/1.1\r\n\r\n'],
    ['two Hosts', 'GET /health HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n'],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
    [
      'two lengths',
      `POST ${keys} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n`,
    ],
  ])('%s is a 400 in our body', async (_what, text) => {
    const answer = await raw(text)
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.body)).toMatchObject({ statusCode: 400, code: 'malformed_request' })
    expect(answer.headers.toLowerCase()).toContain('x-request-id:')
  })

  test('an expectation that nobody knows is ignored', async () => {
    const answer = await raw('GET /health HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\n\r\n')
    expect([answer.status, JSON.parse(answer.body)]).toEqual([200, { status: 'ok' }])
  })

  test('a client that goes away in the middle of its body is no failure of ours', async () => {
    const lines = api.ctx.logLines.length
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `POST ${keys} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name":',
    )
    const [request] = (await once(api.app.server, 'request')) as [IncomingMessage]
    const reading = Promise.withResolvers<void>()
    request.on('newListener', (event) => event === 'data' && reading.resolve())
    await reading.promise
    const closed = new Promise((resolve) => request.once('close', resolve))
    socket.destroy()
    await closed
    expect(api.ctx.logLines.slice(lines).join('')).not.toContain('request failed')
  })

  test('a URL that does not decode is a 400 in our body', async () => {
    const answer = await raw('GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.body).code).toBe('malformed_request')
  })
})

describe('headers of every response', () => {
  test('no caching, no ETag, no CORS, and a request id', async () => {
    const headers = { origin: 'https://example.com' }
    for (const answer of [
      await api.call('GET', keys, { headers }),
      await api.call('GET', '/nothing', { headers }),
      await api.call('GET', keys, { key: null, headers }),
    ]) {
      expect(answer.headers['cache-control']).toBe('no-store')
      expect(answer.headers.etag).toBeUndefined()
      expect(answer.headers['access-control-allow-origin']).toBeUndefined()
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    }
  })

  test("the caller's request id is kept when it is safe", async () => {
    const good = await api.call('GET', '/nothing', { headers: { 'x-request-id': 'abc-1.2' } })
    expect(good.headers['x-request-id']).toBe('abc-1.2')
    expect(good.body.request_id).toBe('abc-1.2')
    const bad = await api.call('GET', '/nothing', { headers: { 'x-request-id': 'a b"c' } })
    expect(bad.headers['x-request-id']).not.toContain('b"c')
  })

  test('HEAD answers as GET without a body', async () => {
    const answer = await raw(
      `HEAD ${keys} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\nConnection: close\r\n\r\n`,
    )
    expect(answer.status).toBe(200)
    expect(answer.body).toBe('')
  })

  test('one trailing slash is accepted', async () => {
    expect((await api.call('GET', `${keys}/`)).status).toBe(200)
    expect((await api.call('GET', `${keys}//`)).status).toBe(404)
  })
})

describe('paging', () => {
  const nil = '00000000-0000-0000-0000-000000000000'

  test.each(['0', '-1', '1.5', '1e1', '0x10', '%2010', 'abc', '', '101', '1&limit=2'])(
    'limit=%s is an invalid_limit',
    async (limit) => {
      const answer = await api.call('GET', `${keys}?limit=${limit}`)
      expect(answer.status).toBe(400)
      expect(answer.body.code).toBe('invalid_limit')
    },
  )

  test.each(['limit=1&limit=1', `starting_after=${nil}&starting_after=${nil}`])(
    'a repeated parameter is to be given once, also %s',
    async (query) => {
      const { body } = await api.call('GET', `${keys}?${query}`)
      expect(body.message).toBe(`${query.split('=')[0]} must be given once`)
    },
  )

  test('what is true or false is so in lower case', async () => {
    const { body } = await api.call('GET', '/api/v2/webhook-events?success=True')
    expect(body.message).toBe('success must be true or false, in lower case')
  })

  test.each(['abc', '', 'urn:uuid:019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d', '%00'])(
    'starting_after=%s is an invalid_cursor',
    async (cursor) => {
      const answer = await api.call('GET', `${keys}?starting_after=${cursor}`)
      expect(answer.status).toBe(400)
      expect(answer.body.code).toBe('invalid_cursor')
    },
  )

  test('any UUID positions, also one of no record; unknown parameters are ignored', async () => {
    const answer = await api.call('GET', `${keys}?starting_after=${nil}&colour=red`)
    expect(answer.body).toEqual({ items: [] })
  })
})

describe('Idempotency-Key', () => {
  const send = (key: string, body: object) =>
    api.call('POST', keys, { body, headers: { 'idempotency-key': key } })

  test('a second request with the same key and body does nothing and answers the same', async () => {
    const first = await send('same', valid)
    const again = await send('"same"', { scopes: ['leads:read'], name: ' n ' })
    expect(again.body.id).toBe(first.body.id)
  })

  test('another body is a 409 idempotency_key_reused', async () => {
    await send('reused', valid)
    const answer = await send('reused', { ...valid, name: 'other' })
    expect(answer.status).toBe(409)
    expect(answer.body).toMatchObject({
      code: 'idempotency_key_reused',
      details: [{ path: '', message: answer.body.message }],
    })
  })

  test('a refused request leaves the key free', async () => {
    expect((await send('free', { ...valid, name: '' })).status).toBe(400)
    expect((await send('free', valid)).status).toBe(201)
  })

  test('two at once: one works, the other is told to wait or gets the same answer', async () => {
    const answers = await Promise.all([
      send('race', valid),
      send('race', valid),
      send('race', valid),
    ])
    const made = new Set(answers.filter((a) => a.status === 201).map((a) => a.body.id))
    expect(made.size).toBe(1)
    for (const answer of answers.filter((a) => a.status !== 201)) {
      expect(answer.body.code).toBe('idempotency_key_in_progress')
    }
  })

  test("another workspace's key is another key", async () => {
    const stranger = await api.createStranger()
    const first = await send('shared', valid)
    const headers = { 'idempotency-key': 'shared' }
    const other = await api.call('POST', keys, { body: valid, headers, key: stranger.key })
    expect(other.body.id).not.toBe(first.body.id)
  })

  test.each(['', ' ', 'x'.repeat(256), 'a\tb', '"open'])(
    'a malformed key (%j) is a 400',
    async (key) => {
      const answer = await send(key, valid)
      expect(answer.status).toBe(400)
      expect(answer.body.code).toBe('malformed_request')
    },
  )

  test('an answer is kept for 24 hours', async () => {
    const first = await send('day', valid)
    api.ctx.clock.advance(23.9 * 3_600_000)
    expect((await send('day', valid)).body.id).toBe(first.body.id)
    api.ctx.clock.advance(0.2 * 3_600_000)
    expect((await send('day', valid)).body.id).not.toBe(first.body.id)
  })
})

describe('the rate limit', () => {
  test('tells what is left, refuses beyond it, and is per workspace', async () => {
    const stranger = await api.createStranger()
    await api.ctx.database.peek
      .updateTable('workspaces')
      .set({ plan_rate: 3 })
      .where('id', '=', stranger.workspaceId)
      .execute()
    const call = () => api.call('GET', keys, { key: stranger.key })
    const first = await call()
    expect(first.headers['ratelimit-policy']).toBe('"default";q=3;w=10')
    expect(first.headers.ratelimit).toMatch(/^"default";r=2;t=\d+$/)
    await call()
    await call()
    const refused = await call()
    expect(refused.status).toBe(429)
    expect(refused.body.code).toBe('rate_limited')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect((await api.call('GET', keys)).status).toBe(200)
  })

  test('each window has a name of its own', async () => {
    const { headers } = await api.call('GET', '/api/v1/leadbank/balance/get')
    expect(headers['ratelimit-policy']).toMatch(/^"acquisition";q=/)
    expect(headers.ratelimit).toMatch(/^"acquisition";r=/)
  })

  test('too many keys that are not valid are called so', async () => {
    const app = await buildApi(api.ctx)
    const fail = () => app.inject({ url: keys, remoteAddress: '192.0.2.7' })
    for (let failed = 0; failed < 200; failed++) expect((await fail()).statusCode).toBe(401)
    const refused = (await fail()).json()
    expect(refused.code).toBe('rate_limited')
    expect(refused.message).toMatch(/^More than 200 requests without a valid key/)
    await app.close()
  })
})

test('a connection whose request took too long ends, whoever goes on sending on it', async () => {
  const pause = Promise.withResolvers<void>()
  const app = await buildApi({ ...api.ctx, sleep: () => pause.promise })
  await app.listen({ port: 0, host: '127.0.0.1' })
  // As Node says it, of each connection once.
  app.server.requestTimeout = 0
  const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  const asked = once(app.server, 'request')
  const { port } = app.server.address() as AddressInfo
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).resume()
  client.write(`POST ${keys} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{`)
  const [{ socket }] = (await asked) as [IncomingMessage]
  app.server.emit('clientError', late, socket)
  await once(client, 'end')
  expect(socket.destroyed).toBe(false)
  const ended = once(socket, 'close')
  pause.resolve()
  await ended
  client.destroy()
  await app.close()
})

test('a database that is away is a 503 that says nothing of it', async () => {
  const away = connectDatabase('postgres://nobody@127.0.0.1:1/none', 2)
  const app = await buildApi({ ...api.ctx, db: away.db })
  const answer = await app.inject({ url: keys, headers: { authorization: `Bearer ${api.key}` } })
  expect(answer.statusCode).toBe(503)
  expect(answer.json().code).toBe('unavailable')
  expect(answer.headers['retry-after']).toBe('1')
  // Not of the whole body: its random id may hold these digits.
  expect(answer.json().message).not.toMatch(/127|ECONN|postgres/i)
  await app.close()
  await away.db.destroy()
})
