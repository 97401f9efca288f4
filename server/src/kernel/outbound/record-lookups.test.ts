import { expect, test } from 'vitest'
import { type DnsReply, startDnsServer } from '../../../test/dns-server.ts'
import { createMailLookup } from './index.ts'

async function lookupMail(reply: DnsReply) {
  await using dns = await startDnsServer((_name, type) => (type === 'MX' ? reply : ['192.0.2.1']))
  return await createMailLookup(() => dns.resolver())('company.test')
}

const mx = (preference: number, exchange: string) =>
  ({
    name: 'company.test',
    type: 'MX',
    ttl: 0,
    data: { preference, exchange },
  }) as const

test('answers the mail servers, best first', async () => {
  const servers = await lookupMail([mx(20, 'backup.test'), mx(10, 'main.test')])
  expect(servers).toEqual(['main.test', 'backup.test'])
})

const without: [string, DnsReply][] = [
  ['a domain that does not exist', 'NXDOMAIN'],
  ['a domain with addresses only', []],
  ['a domain that refuses mail (RFC 7505)', [mx(0, '.')]],
]
test.each(without)('finds no mail server of %s', async (_name, reply) => {
  expect(await lookupMail(reply)).toEqual([])
})

test.each<DnsReply>(['SERVFAIL', 'SILENCE'])('%s is no answer', async (reply) => {
  await expect(lookupMail(reply)).rejects.toThrow()
})
