import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type Answer,
  answerInTurn,
  answerWith,
  hostile,
  resetAtAccept,
  startReceiver,
} from '../../../test/receiver.ts'
import { startTcpServer } from '../../../test/tcp-server.ts'
import {
  createOutboundHttp,
  type OutboundHttp,
  type PostOutcome,
  type PostRequest,
} from './index.ts'

let http: OutboundHttp
beforeEach(() => {
  http = createOutboundHttp({ policy: { mode: 'any', allow: [] } })
})
afterEach(() => http.close())

const post = (url: string, more: Partial<PostRequest> = {}) =>
  http.post({ use: 'tests', url, headers: {}, body: '{}', timeoutMs: 10_000, ...more })

/** One post to a receiver of its own: what came of it, and how often the receiver was asked. */
async function postTo(answer: Answer, timeoutMs = 10_000) {
  await using receiver = await startReceiver(answer)
  const outcome = await post(receiver.url, { timeoutMs })
  return { outcome, requests: receiver.requests.length }
}

const failure = (error: string, detail: unknown) => ({
  kind: 'failure',
  error,
  detail,
  durationMs: expect.any(Number),
})

test('sends method, path, query, headers and exactly the bytes', async () => {
  await using receiver = await startReceiver()
  const body = Buffer.from('{"name":"Zoë 👋"}')
  const headers = { 'Content-Type': 'application/json', 'webhook-id': 'evt_1' }
  await http.post({
    use: 'tests',
    url: `${receiver.url}/in/x?a=1&b=%20`,
    headers,
    body,
    timeoutMs: 10_000,
  })

  const received = await receiver.next()
  expect(received).toMatchObject({ method: 'POST', url: '/in/x?a=1&b=%20', body })
  expect(received.headers).toEqual({
    host: `127.0.0.1:${receiver.port}`,
    connection: 'keep-alive',
    'content-type': 'application/json',
    'webhook-id': 'evt_1',
    'content-length': String(body.length),
  })
})

describe('any response is an answer', () => {
  test.each([200, 201, 204, 304, 400, 410, 429, 500, 503, 599])('status %i', async (status) => {
    const { outcome } = await postTo(answerWith(status))
    expect(outcome).toMatchObject({ kind: 'response', status, body: null, retryAfter: null })
  })

  test.each([
    [429, '120'],
    [503, 'Fri, 31 Dec 2027 23:59:59 GMT'],
  ])('%i with Retry-After: %s', async (status, retryAfter) => {
    const { outcome } = await postTo(answerWith(status, 'later', { 'retry-after': retryAfter }))
    expect(outcome).toMatchObject({ kind: 'response', status, body: 'later', retryAfter })
  })

  test.each([301, 302, 303, 307, 308])('a redirect (%i) is not followed', async (status) => {
    await using internal = await startReceiver()
    const { outcome, requests } = await postTo(hostile.redirectTo(internal.url, status))
    expect(outcome).toMatchObject({ kind: 'response', status })
    expect(requests).toBe(1)
    expect(internal.connections).toBe(0)
  })

  test('after a hundred informational ones', async () => {
    const { outcome } = await postTo(hostile.manyInformational(100))
    expect(outcome).toMatchObject({ kind: 'response', status: 200, body: 'done' })
  })

  test('after a 100 Continue that nobody asked for, on a connection that goes on serving', async () => {
    await using receiver = await startReceiver(hostile.unaskedContinue())
    for (const attempt of [1, 2, 3]) {
      const outcome = await post(receiver.url)
      expect([attempt, outcome]).toMatchObject([attempt, { kind: 'response', status: 200 }])
    }
    expect(receiver.connections).toBe(1)
  })

  test('without a length, in HTTP/1.0', async () => {
    const { outcome } = await postTo(hostile.http10WithoutLength('old but fine'))
    expect(outcome).toMatchObject({ kind: 'response', status: 200, body: 'old but fine' })
  })

  test('with a body that never ends, of which it shows 1 KiB', async () => {
    const { outcome } = await postTo(hostile.endlessBody())
    expect(outcome).toMatchObject({ kind: 'response', status: 200 })
    expect(outcome.kind === 'response' && outcome.body?.length).toBe(1024)
  })

  test('with a gzip bomb, of which it shows 1 KiB', async () => {
    const { outcome } = await postTo(hostile.gzipBomb(10_000_000))
    expect(outcome).toMatchObject({ kind: 'response', status: 200, body: 'a'.repeat(1024) })
  })

  test('with its encoding named twice, and so is every encoded one after it', async () => {
    const zipped = gzipSync('thanks')
    const twice: Answer = (_received, response) => {
      response.setHeader('content-encoding', ['gzip', 'gzip'])
      response.setHeader('retry-after', ['1', '2'])
      response.end(zipped)
    }
    const once: Answer = (_received, response) => {
      response.setHeader('content-encoding', 'gzip').end(zipped)
    }
    const { outcome } = await postTo(twice)
    expect(outcome).toMatchObject({ kind: 'response', status: 200, body: null, retryAfter: null })
    for (let count = 0; count < 2; count++) {
      const next = await postTo(once)
      expect(next.outcome).toMatchObject({ kind: 'response', status: 200, body: 'thanks' })
    }
  })
})

describe('no response is one of a closed list', () => {
  const brokenOff = 'the connection was closed before the response ended'

  test.each<[what: string, answer: Answer, error: string, detail: string | null]>([
    ['a reset', hostile.resetBeforeHeaders(), 'connection_reset', null],
    ['a reset in the body', hostile.resetMidBody(), 'connection_reset', null],
    ['an end in the body', hostile.closeMidBody(), 'connection_reset', brokenOff],
    ['an end before the response', hostile.closeWithoutResponse(), 'connection_reset', brokenOff],
    [
      'headers of 1 MiB',
      hostile.hugeHeaders(),
      'network_error',
      'the response headers are too large',
    ],
    ['another protocol', hostile.notHttp(), 'network_error', 'the response is not valid HTTP'],
  ])('%s', async (_what, answer, error, detail) => {
    const { outcome, requests } = await postTo(answer)
    expect(outcome).toEqual(failure(error, detail))
    expect(requests).toBe(1)
  })

  test('a reset when the connection is accepted', async () => {
    await using receiver = await startReceiver(answerWith(200), { onConnection: resetAtAccept })
    expect(await post(receiver.url)).toMatchObject({ kind: 'failure', error: 'connection_reset' })
    expect(receiver.connections).toBe(1)
  })

  test('a port nobody listens on', async () => {
    const receiver = await startReceiver()
    await receiver.close()
    expect(await post(receiver.url)).toEqual(failure('connection_refused', null))
  })

  test.each([
    ['ftp://127.0.0.1/', 'the URL is not an http or https address'],
    ['not a url', 'the URL is not an http or https address'],
  ])('the address %s', async (url, detail) => {
    expect(await post(url)).toEqual(failure('network_error', detail))
  })

  test.each([
    ['a line break in a value', { 'x-name': 'a\r\nx-other: b' }],
    ['a name that is none', { 'x name': 'a' }],
    ['a framing header', { 'transfer-encoding': 'chunked' }],
  ])('%s, which is never sent', async (_what, headers) => {
    await using receiver = await startReceiver()
    const outcome = await http.post({
      use: 'tests',
      url: receiver.url,
      headers,
      body: '',
      timeoutMs: 10_000,
    })
    expect(outcome).toEqual(failure('network_error', 'the request is not valid HTTP'))
    expect(receiver.requests).toEqual([])
  })
})

test.each<[what: string, answer: Answer, body: string | null, isLate: true | undefined]>([
  ['is reset', hostile.resetMidBody(), 'half', undefined],
  ['ends early', hostile.closeMidBody(), 'half', undefined],
  ['does not come', hostile.hangAfterHeaders(), null, true],
])(
  'where no body is needed, one that %s leaves the answer as it is, and says whether it was late',
  async (_what, answer, body, isLate) => {
    await using receiver = await startReceiver(answer)
    const outcome = await post(receiver.url, { needsNoBody: true, timeoutMs: 1000 })
    expect(outcome).toMatchObject({ kind: 'response', status: 200, body })
    expect((outcome as { isLate?: true }).isLate).toBe(isLate)
  },
)

describe('one deadline covers everything', () => {
  test.each<[what: string, answer: Answer, detail: string]>([
    ['the headers', hostile.hangBeforeHeaders(), 'waiting for the response'],
    [
      'the headers after an informational response',
      (_received, response) => response.writeProcessing(),
      'waiting for the response',
    ],
    ['the body', hostile.hangAfterHeaders(), 'reading the response'],
    ['a body that drips', hostile.drip(10), 'reading the response'],
  ])('%s', async (_what, answer, detail) => {
    // Long enough for what comes before the wait, on a machine that is busy.
    const { outcome } = await postTo(answer, 1000)
    expect(outcome).toEqual(failure('timeout', detail))
    // Timers of Node may be early by less than a millisecond.
    expect(outcome.durationMs).toBeGreaterThan(999)
  })

  test('the look-up and the connection', async () => {
    const never = createOutboundHttp({
      policy: { mode: 'any', allow: [] },
      lookup: () => new Promise(() => {}),
    })
    const url = 'http://slow.test/'
    const outcome = await never.post({ use: 'tests', url, headers: {}, body: '', timeoutMs: 50 })
    expect(outcome).toEqual(failure('timeout', 'connecting'))
    await never.close()
  })

  test('an answer that came while this process stood still is no timeout', async () => {
    const stall = (ms: number) => {
      const until = performance.now() + ms
      while (performance.now() < until);
    }
    const { outcome } = await postTo(
      (_received, response) => void response.end('in time', () => stall(1100)),
      1000,
    )
    expect(outcome).toMatchObject({ kind: 'response', status: 200, body: 'in time' })
  })

  test('no timer is left behind', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length
    await using receiver = await startReceiver()
    await post(receiver.url)
    const before = timers()
    for (let sent = 0; sent < 20; sent++) await post(receiver.url)
    expect(timers()).toBeLessThan(before + 10)
  })

  test('the duration ends with the response, by the clock that was given', async () => {
    const readings = [1_000, 1_000, 3_500.123, 3_500.123]
    const timed = createOutboundHttp({
      policy: { mode: 'any', allow: [] },
      monotonicMs: () => readings.shift() ?? 3_500.123,
    })
    await using receiver = await startReceiver()
    const outcome = await timed.post({
      use: 'tests',
      url: receiver.url,
      headers: {},
      body: '',
      timeoutMs: 9_000,
    })
    expect(outcome).toMatchObject({ kind: 'response', durationMs: 2_500.12 })
    await timed.close()
  })
})

/** Accepts connections and says nothing. */
async function startSilentServer() {
  const { promise: lostConnection, resolve } = Promise.withResolvers<void>()
  const server = await startTcpServer((socket) => socket.resume().on('close', resolve))
  return Object.assign(server, { url: `https://127.0.0.1:${server.port}`, lostConnection })
}

describe('connecting has a shorter limit of its own', () => {
  test('for name servers', async () => {
    const never = createOutboundHttp({
      policy: { mode: 'any', allow: [] },
      lookup: () => new Promise(() => {}),
    })
    const limits = { timeoutMs: 10_000, connectTimeoutMs: 50 }
    const outcome = await never.post({
      use: 'tests',
      url: 'http://slow.test/',
      headers: {},
      body: '',
      ...limits,
    })
    expect(outcome).toEqual(failure('timeout', 'looking up the host name'))
    await never.close()
  })

  test('for a TLS server that says nothing', async () => {
    await using silent = await startSilentServer()
    const outcome = await post(silent.url, { connectTimeoutMs: 50 })
    expect(outcome).toEqual(failure('timeout', 'in the TLS handshake'))
  })

  test('and is given up at the deadline', async () => {
    await using silent = await startSilentServer()
    const outcome = await post(silent.url, { timeoutMs: 50 })
    expect(outcome).toEqual(failure('timeout', 'connecting'))
    await silent.lostConnection
  })

  test('which a slow answer does not meet', async () => {
    await using receiver = await startReceiver((_received, response) => {
      setTimeout(() => response.end(), 1100)
    })
    const outcome = await post(receiver.url, { connectTimeoutMs: 1000 })
    expect(outcome).toMatchObject({ kind: 'response', status: 200 })
  })
})

describe('keep-alive', () => {
  test('uses one connection for posts in a row', async () => {
    await using receiver = await startReceiver(answerWith(200, 'a body to read'))
    for (let sent = 0; sent < 5; sent++) await post(receiver.url)
    expect(receiver.requests.map(({ connection }) => connection)).toEqual([1, 1, 1, 1, 1])
  })

  test.each<[what: string, answer: Answer]>([
    ['was cut off', hostile.endlessBody()],
    ['timed out', hostile.hangBeforeHeaders()],
    ['said it closes', answerWith(200, '', { connection: 'close' })],
    ['was reset', hostile.resetBeforeHeaders()],
  ])('does not reuse a connection whose response %s', async (_what, answer) => {
    await using receiver = await startReceiver(answerInTurn(answer, answerWith(200)))
    await post(receiver.url, { timeoutMs: 1000 })
    expect(await post(receiver.url)).toMatchObject({ kind: 'response', status: 200 })
    expect(receiver.requests.map(({ connection }) => connection)).toEqual([1, 2])
  })

  test('survives a receiver that closed while idle', async () => {
    await using receiver = await startReceiver()
    await post(receiver.url)
    await receiver.dropConnections()
    const outcomes: PostOutcome[] = []
    for (let sent = 0; sent < 3; sent++) outcomes.push(await post(receiver.url))
    expect(outcomes.every(({ kind }) => kind === 'response')).toBe(true)
    expect(receiver.requests).toHaveLength(4)
  })

  test('opens a new connection after a minute, which looks the name up again', async () => {
    let nowMs = 0
    let lookups = 0
    const aging = createOutboundHttp({
      policy: { mode: 'any', allow: [] },
      monotonicMs: () => nowMs,
      lookup: () => Promise.resolve([`127.0.0.${++lookups}`]),
    })
    await using receiver = await startReceiver(answerWith(200), { host: '0.0.0.0' })
    for (const at of [0, 30_000, 61_000, 62_000, 63_000]) {
      nowMs = at
      const url = `http://moving.test:${receiver.port}`
      await aging.post({ use: 'tests', url, headers: {}, body: '', timeoutMs: 10_000 })
    }
    expect(receiver.requests.map(({ connection }) => connection)).toEqual([1, 1, 1, 2, 2])
    expect(lookups).toBe(2)
    await aging.close()
  })
})
