import { afterEach, expect, test, vi } from 'vitest'
import { startDnsServer } from '../../../test/dns-server.ts'
import { answerWith, startReceiver } from '../../../test/receiver.ts'
import {
  type AddressPolicy,
  createLookup,
  createOutboundHttp,
  judgeTarget,
  type LookupFn,
  parseCidrs,
} from './index.ts'

const PUBLIC: AddressPolicy = { mode: 'public', allow: [] }
/** 127.0.0.1 stands for a public address, 127.0.0.2 for an internal one. */
const oneAllowed: AddressPolicy = { mode: 'public', allow: parseCidrs('127.0.0.1/32') }
const ANY: AddressPolicy = { mode: 'any', allow: [] }
const BLOCKED = { kind: 'failure', error: 'blocked_address', detail: null }
const CLOSING = answerWith(200, '', { connection: 'close' })

afterEach(() => vi.unstubAllEnvs())

async function post(policy: AddressPolicy, url: string, lookup?: LookupFn) {
  const http = createOutboundHttp({ policy, ...(lookup && { lookup }) })
  const outcome = await http.post({ use: 'tests', url, headers: {}, body: '{}', timeoutMs: 10_000 })
  await http.close()
  return outcome
}

const loopbackSpellings = [
  '127.0.0.1',
  '2130706433',
  '0x7f.1',
  '0x7f000001',
  '0177.0.0.1',
  '127.1',
  '127.0.0.1.',
  '１２７.０.０.１',
  '[::ffff:7f00:1]',
  '[::ffff:127.0.0.1]',
  'localhost',
  'LOCALHOST.',
  'hooks.localhost',
]

test.each(loopbackSpellings)('the public policy opens no connection to %s', async (host) => {
  await using receiver = await startReceiver()
  expect(await post(PUBLIC, `http://${host}:${receiver.port}/`)).toMatchObject(BLOCKED)
  expect(receiver.connections).toBe(0)
})

test.each(loopbackSpellings)('which the policy `any` does: %s', async (host) => {
  await using receiver = await startReceiver()
  expect(await post(ANY, `http://${host}:${receiver.port}/`)).toMatchObject({ status: 200 })
})

test('the public policy opens no connection to [::1], which `any` does', async () => {
  await using receiver = await startReceiver(answerWith(200), { host: '::1' })
  expect(await post(PUBLIC, receiver.url)).toMatchObject(BLOCKED)
  expect(receiver.connections).toBe(0)
  expect(await post(ANY, receiver.url)).toMatchObject({ status: 200 })
})

test.each([
  '169.254.169.254',
  '[::ffff:169.254.169.254]',
  '[fe80::a9fe:a9fe]',
  '[fd00:ec2::254]',
  '100.100.100.200',
  '168.63.129.16',
])('no policy connects to %s', async (host) => {
  expect(await post(ANY, `http://${host}/latest/meta-data/`)).toMatchObject(BLOCKED)
  expect(await post(ANY, `https://${host}/latest/meta-data/`)).toMatchObject(BLOCKED)
})

test('a name that turns internal after it was checked is refused', async () => {
  await using internal = await startReceiver()
  await using dns = await startDnsServer((_name, type, askedBefore) => {
    if (type !== 'A') return []
    return [askedBefore === 0 ? '93.184.216.34' : '127.0.0.1']
  })
  const lookup = createLookup(() => dns.resolver())
  const url = `http://rebind.test:${internal.port}/`
  expect(await judgeTarget(PUBLIC, lookup, new URL(url), 1_000)).toBe('allowed')
  expect(await post(PUBLIC, url, lookup)).toMatchObject(BLOCKED)
  expect(internal.connections).toBe(0)
})

test('a name that turns internal between two posts is refused', async () => {
  await using allowed = await startReceiver(CLOSING)
  await using internal = await startReceiver(CLOSING, { host: '127.0.0.2', port: allowed.port })
  await using dns = await startDnsServer((_name, type, askedBefore) => {
    if (type !== 'A') return []
    return [askedBefore === 0 ? '127.0.0.1' : '127.0.0.2']
  })
  const http = createOutboundHttp({
    policy: oneAllowed,
    lookup: createLookup(() => dns.resolver()),
  })
  const url = `http://rebind.test:${allowed.port}/`
  const request = { use: 'tests', url, headers: {}, body: '', timeoutMs: 10_000 }
  expect(await http.post(request)).toMatchObject({ kind: 'response', status: 200 })
  expect(await http.post(request)).toMatchObject(BLOCKED)
  expect([allowed.connections, internal.connections]).toEqual([1, 0])
  await http.close()
})

test('an alias of an internal name is refused', async () => {
  await using internal = await startReceiver()
  await using dns = await startDnsServer((name, type) => {
    if (type !== 'A') return []
    return [
      { name, type: 'CNAME', ttl: 0, data: 'db.internal.test' },
      { name: 'db.internal.test', type: 'A', ttl: 0, data: '127.0.0.1' },
    ]
  })
  const lookup = createLookup(() => dns.resolver())
  expect(await post(PUBLIC, `http://alias.test:${internal.port}/`, lookup)).toMatchObject(BLOCKED)
  expect(internal.connections).toBe(0)
})

test.each([[['127.0.0.2', '127.0.0.1']], [['127.0.0.1', '127.0.0.2']]])(
  'of the answers %j only the allowed one is connected to',
  async (answers) => {
    await using allowed = await startReceiver()
    await using internal = await startReceiver(answerWith(200), {
      host: '127.0.0.2',
      port: allowed.port,
    })
    const url = `http://mixed.test:${allowed.port}/`
    const outcome = await post(oneAllowed, url, () => Promise.resolve(answers))
    expect(outcome).toMatchObject({ kind: 'response', status: 200 })
    expect([allowed.connections, internal.connections]).toEqual([1, 0])
  },
)

test('an allowed address that is down does not open the way to a refused one', async () => {
  await using internal = await startReceiver(answerWith(200), { host: '127.0.0.2' })
  const url = `http://mixed.test:${internal.port}/`
  const outcome = await post(oneAllowed, url, () => Promise.resolve(['127.0.0.1', '127.0.0.2']))
  expect(outcome).toMatchObject({ kind: 'failure', error: 'connection_refused', detail: null })
  expect(internal.connections).toBe(0)
})

test.each([
  [['::1', '127.0.0.1']],
  [['127.0.0.3', '127.0.0.2', '127.0.0.1']],
  [['127.0.0.3', '::1', '127.0.0.2', '127.0.0.1']],
])('allowed addresses are tried in turn: %j', async (answers) => {
  await using receiver = await startReceiver()
  const url = `http://several.test:${receiver.port}/`
  const outcome = await post(ANY, url, () => Promise.resolve(answers))
  expect(outcome).toMatchObject({ kind: 'response', status: 200 })
})

test('IPv6 is reached when IPv4 is down', async () => {
  await using receiver = await startReceiver(answerWith(200), { host: '::1' })
  const url = `http://several.test:${receiver.port}/`
  const outcome = await post(ANY, url, () => Promise.resolve(['127.0.0.1', '::1']))
  expect(outcome).toMatchObject({ kind: 'response', status: 200 })
})

test('nothing tells an open internal port from a closed one', async () => {
  const open = await startReceiver()
  const url = open.url
  const toOpen = await post(PUBLIC, url)
  expect(open.connections).toBe(0)
  await open.close()
  const toClosed = await post(PUBLIC, url)
  const anyDuration = { durationMs: expect.any(Number) }
  expect(toOpen).toEqual({ ...BLOCKED, ...anyDuration })
  expect(toClosed).toEqual({ ...BLOCKED, ...anyDuration })
})

test.each(['NXDOMAIN', 'SERVFAIL', 'SILENCE'] as const)(
  'a look-up that ends in %s is a DNS error',
  async (reply) => {
    await using dns = await startDnsServer(() => reply)
    const lookup = createLookup(() => dns.resolver())
    expect(await post(PUBLIC, 'http://none.test/', lookup)).toMatchObject({
      kind: 'failure',
      error: 'dns_error',
      detail: {
        NXDOMAIN: 'the host name does not exist',
        SERVFAIL: 'the name servers failed',
        SILENCE: 'the name servers did not answer',
      }[reply],
    })
  },
)

test('connections opened together share one look-up', async () => {
  await using receiver = await startReceiver()
  let lookups = 0
  const lookup = () => {
    lookups++
    return Promise.resolve(['127.0.0.1'])
  }
  const http = createOutboundHttp({ policy: ANY, lookup })
  const url = `http://shared.test:${receiver.port}/`
  const request = { use: 'tests', url, headers: {}, body: '', timeoutMs: 10_000 }
  await Promise.all(Array.from({ length: 10 }, () => http.post(request)))
  expect(receiver.connections).toBe(10)
  expect(lookups).toBe(1)
  await http.close()
})

test('proxies of the environment are not used', async () => {
  await using proxy = await startReceiver()
  await using receiver = await startReceiver()
  for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY']) {
    vi.stubEnv(name, proxy.url)
  }
  vi.stubEnv('NODE_USE_ENV_PROXY', '1')
  expect(await post(ANY, receiver.url)).toMatchObject({ kind: 'response', status: 200 })
  expect([proxy.connections, receiver.connections]).toEqual([0, 1])
})
