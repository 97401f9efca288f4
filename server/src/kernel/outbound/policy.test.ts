import { describe, expect, test } from 'vitest'
import { startDnsServer } from '../../../test/dns-server.ts'
import {
  type AddressPolicy,
  createLookup,
  isLoopback,
  judgeAddress,
  judgeTarget,
  parseCidrs,
} from './index.ts'

const PUBLIC: AddressPolicy = { mode: 'public', allow: [] }
const ANY: AddressPolicy = { mode: 'any', allow: [] }
const F = 'ffff:ffff:ffff:ffff:ffff'

/** Range, its first and last address, the addresses just outside where those are public. */
const SPECIAL: [range: string, first: string, last: string, before: string, after: string][] = [
  ['0.0.0.0/8', '0.0.0.0', '0.255.255.255', '', '1.0.0.0'],
  ['10.0.0.0/8', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0/10', '100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0/8', '127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['169.254.0.0/16', '169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0/12', '172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0/24', '192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0/24', '192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.31.196.0/24', '192.31.196.0', '192.31.196.255', '192.31.195.255', '192.31.197.0'],
  ['192.52.193.0/24', '192.52.193.0', '192.52.193.255', '192.52.192.255', '192.52.194.0'],
  ['192.88.99.0/24', '192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0/16', '192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['192.175.48.0/24', '192.175.48.0', '192.175.48.255', '192.175.47.255', '192.175.49.0'],
  ['198.18.0.0/15', '198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['198.51.100.0/24', '198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['203.0.113.0/24', '203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['224.0.0.0/4', '224.0.0.0', '239.255.255.255', '223.255.255.255', ''],
  ['240.0.0.0/4', '240.0.0.0', '255.255.255.255', '', ''],
  ['168.63.129.16', '168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
  ['below 2000::/3', '::', `1fff:ffff:ffff:${F}`, '', '2000::'],
  ['above 2000::/3', '4000::', `ffff:ffff:ffff:${F}`, '', ''],
  ['2001::/23', '2001::', `2001:1ff:ffff:${F}`, `2000:ffff:ffff:${F}`, '2001:200::'],
  ['2001:db8::/32', '2001:db8::', `2001:db8:ffff:${F}`, `2001:db7:ffff:${F}`, '2001:db9::'],
  ['2002::/16', '2002::', `2002:ffff:ffff:${F}`, `2001:ffff:ffff:${F}`, '2003::'],
  [
    '2620:4f:8000::/48',
    '2620:4f:8000::',
    `2620:4f:8000:${F}`,
    `2620:4f:7fff:${F}`,
    '2620:4f:8001::',
  ],
  ['3fff::/20', '3fff::', `3fff:fff:ffff:${F}`, `3ffe:ffff:ffff:${F}`, '3fff:1000::'],
]

const METADATA = [
  '169.254.169.254',
  '169.254.170.2',
  '169.254.0.0',
  '169.254.255.255',
  'fe80::',
  `febf:ffff:ffff:${F}`,
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '::169.254.169.254',
  '::a9fe:a9fe',
  '::ffff:0:169.254.169.254',
  '::ffff:168.63.129.16',
  '64:ff9b::169.254.169.254',
  '64:ff9b:1::169.254.169.254',
  '2002:a9fe:a9fe::1',
]

describe('the public policy', () => {
  test.each(SPECIAL)('refuses %s from its first to its last address', (_range, first, last) => {
    expect(judgeAddress(PUBLIC, first)).toBe(false)
    expect(judgeAddress(PUBLIC, last)).toBe(false)
  })

  test.each(SPECIAL)('allows the public neighbours of %s', (_range, _first, _last, ...around) => {
    for (const neighbour of around.filter((one) => one !== '')) {
      expect([neighbour, judgeAddress(PUBLIC, neighbour)]).toEqual([neighbour, true])
    }
  })

  test.each([
    '::1',
    'fc00::1',
    'fdff::1',
    'fec0::1',
    'ff02::2',
    '100::1',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::1',
    '5f00::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '::10.0.0.1',
  ])('refuses %s', (ip) => {
    expect(judgeAddress(PUBLIC, ip)).toBe(false)
  })

  test.each(['8.8.8.8', '2001:4860:4860::8888', '::ffff:8.8.8.8', '::ffff:808:808', '::808:808'])(
    'allows %s',
    (ip) => {
      expect(judgeAddress(PUBLIC, ip)).toBe(true)
    },
  )

  test.each(['', 'localhost', '127.1', '0177.0.0.1', '8.8.8.8 ', '2001:4860::1%eth0', '[::1]'])(
    'refuses %j, which is no plain address',
    (ip) => {
      expect(judgeAddress(PUBLIC, ip)).toBe(false)
      expect(judgeAddress(ANY, ip)).toBe(false)
    },
  )
})

test.each(['127.0.0.1', '::1', '10.1.2.3', '192.168.1.1', 'fd12::1', '100.64.0.1', '8.8.8.8'])(
  'the policy `any` allows %s',
  (ip) => {
    expect(judgeAddress(ANY, ip)).toBe(true)
  },
)

test.each(METADATA)('no policy and no list allows %s', (ip) => {
  const allow = parseCidrs('0.0.0.0/0 ::/0')
  expect(judgeAddress(ANY, ip)).toBe(false)
  expect(judgeAddress(PUBLIC, ip)).toBe(false)
  expect(judgeAddress({ mode: 'public', allow }, ip)).toBe(false)
})

test('OUTBOUND_ALLOW opens what it lists and nothing beside it', () => {
  const allow = parseCidrs('10.20.0.0/16, fd12:3456::/32 127.0.0.1,::1,::ffff:192.168.7.0/120')
  const allowed = ['10.20.0.0', '10.20.255.255', '::ffff:10.20.1.1', 'fd12:3456:ffff::1', '::1']
  allowed.push('127.0.0.1', '192.168.7.255')
  const refused = ['10.19.255.255', '10.21.0.0', 'fd12:3457::', '127.0.0.2', '::2', '192.168.8.0']
  expect(allowed.filter((ip) => !judgeAddress({ mode: 'public', allow }, ip))).toEqual([])
  refused.push('::')
  expect(refused.filter((ip) => judgeAddress({ mode: 'public', allow }, ip))).toEqual([])
})

test('a list of IPv4 ranges does not open :: and ::1, which are no IPv4 addresses', () => {
  const allow = parseCidrs('0.0.0.0/0')
  expect(judgeAddress({ mode: 'public', allow }, '127.0.0.1')).toBe(true)
  expect(judgeAddress({ mode: 'public', allow }, '::1')).toBe(false)
  expect(judgeAddress({ mode: 'public', allow }, '::')).toBe(false)
})

test.each([
  '10.0.0.0/33',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  '10.0.0.0/-1',
  '10.0.0.0/0x8',
  '::/129',
  '10.1/16',
  '010.0.0.0/8',
  'fe80::1%eth0',
  'internal.example',
])('OUTBOUND_ALLOW=%s is an error that names it', (text) => {
  expect(() => parseCidrs(`10.0.0.0/8 ${text}`)).toThrow(
    `OUTBOUND_ALLOW: "${text}" is not an address range`,
  )
})

test('OUTBOUND_ALLOW does not take an address inside a range for the range', () => {
  expect(() => parseCidrs('10.0.0.1/8')).toThrow('"10.0.0.1/8" has bits set after its prefix')
  expect(parseCidrs(' ')).toEqual([])
})

test.each([
  ['127.0.0.1', true],
  ['127.8.8.8', true],
  ['[::1]', true],
  ['::1', true],
  ['[::ffff:127.0.0.1]', true],
  ['localhost', true],
  ['api.localhost', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
  ['localhost.example.com', false],
  ['example.com', false],
])('%s is a loopback address: %s', (hostname, expected) => {
  expect(isLoopback(hostname)).toBe(expected)
})

describe('judging a target early', () => {
  const judge = async (url: string, answers: Record<string, string[]> = {}, policy = PUBLIC) => {
    await using dns = await startDnsServer((name, type) =>
      type === 'A' ? (answers[name] ?? 'NXDOMAIN') : [],
    )
    return await judgeTarget(
      policy,
      createLookup(() => dns.resolver()),
      new URL(url),
      1_000,
    )
  }

  test.each([
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://127.0.0.1./',
    'http://１２７.０.０.１/',
    'http://[::1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::ffff:169.254.169.254]/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://hooks.localhost/',
  ])('refuses %s', async (url) => {
    expect(await judge(url)).toBe('refused')
  })

  test('refuses a name only when every address is refused', async () => {
    const answers = { 'in.test': ['10.0.0.1', '127.0.0.1'], 'mixed.test': ['10.0.0.1', '8.8.8.8'] }
    expect(await judge('https://in.test/', answers)).toBe('refused')
    expect(await judge('https://mixed.test/', answers)).toBe('allowed')
    expect(await judge('https://in.test/', answers, ANY)).toBe('allowed')
  })

  test('does not refuse a name without an address', async () => {
    expect(await judge('https://unknown.test/')).toBe('unresolved')
  })

  test('gives up on name servers that take longer than the budget', async () => {
    const never = () => new Promise<string[]>(() => {})
    expect(await judgeTarget(PUBLIC, never, new URL('https://slow.test/'), 20)).toBe('unresolved')
  })
})
