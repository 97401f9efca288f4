import { expect, test } from 'vitest'
import { type DnsReply, startDnsServer } from '../../../test/dns-server.ts'
import { createLookup } from './index.ts'

async function lookup(
  name: string,
  reply: (type: string, name: string) => DnsReply,
  timeoutMs?: number,
  suffixes: string[] = [],
) {
  await using dns = await startDnsServer((asked, type) => reply(type, asked))
  const resolver = dns.resolver(timeoutMs)
  const addresses = await createLookup(
    () => resolver,
    () => suffixes,
  )(name)
  resolver.cancel()
  return { addresses, questions: dns.questions }
}

test('finds the addresses of both families', async () => {
  const { addresses } = await lookup('both.test', (type) =>
    type === 'A' ? ['192.0.2.1', '192.0.2.2'] : ['2001:db8::1'],
  )
  expect(addresses.toSorted()).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8::1'])
  expect(addresses.at(-1)).toBe('2001:db8::1')
})

test('follows an alias', async () => {
  const { addresses } = await lookup('alias.test', (type) =>
    type === 'A'
      ? [
          { name: 'alias.test', type: 'CNAME', ttl: 0, data: 'target.test' },
          { name: 'target.test', type: 'A', ttl: 0, data: '192.0.2.7' },
        ]
      : [],
  )
  expect(addresses).toEqual(['192.0.2.7'])
})

test.each<[silent: string, answered: string, address: string]>([
  ['AAAA', 'A', '192.0.2.1'],
  ['A', 'AAAA', '2001:db8::1'],
])('one family is enough when %s is never answered', async (_silent, answered, address) => {
  const reply = (type: string) => (type === answered ? [address] : 'SILENCE')
  const { addresses } = await lookup('half.test', reply, 60_000)
  expect(addresses).toEqual([address])
})

test.each<DnsReply>(['NXDOMAIN', 'SERVFAIL', 'SILENCE', []])('rejects on %j', async (reply) => {
  await expect(lookup('none.test', () => reply)).rejects.toThrow()
})

test.each(['localhost', 'localhost.', 'hooks.localhost'])(
  '%s is loopback, whatever a name server says',
  async (name) => {
    const { addresses, questions } = await lookup(name, () => ['192.0.2.1'])
    expect(addresses).toEqual(['127.0.0.1', '::1'])
    expect(questions).toEqual([])
  },
)

const suffixes = ['default.svc.cluster.local', 'svc.cluster.local']
const service = (type: string, name: string): DnsReply =>
  type === 'A' && name === 'crm.tools.svc.cluster.local' ? ['192.0.2.1'] : 'NXDOMAIN'

test('a name that only the search list completes is found', async () => {
  const { addresses, questions } = await lookup('crm.tools', service, undefined, suffixes)
  expect(addresses).toEqual(['192.0.2.1'])
  expect(questions[0]?.name).toBe('crm.tools')
})

test('a name that ends in a dot, or that no name server answers, is not completed', async () => {
  await expect(lookup('crm.tools.', service, undefined, suffixes)).rejects.toThrow()
  const reply = (_type: string, name: string): DnsReply =>
    name === 'crm.tools' ? 'SERVFAIL' : ['192.0.2.1']
  await expect(lookup('crm.tools', reply, undefined, suffixes)).rejects.toThrow()
})
