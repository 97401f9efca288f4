import { expect, test } from 'vitest'
import { type DnsReply, startDnsServer } from '../../../test/dns-server.ts'
import { createTextLookup } from '../../kernel/outbound/index.ts'
import { checkMailDomain } from './index.ts'

/** Findings by record, of a domain with these TXT records; a text of several parts is cut at `|`. */
async function check(records: Record<string, string[] | 'SERVFAIL'>, domain = 'company.test') {
  await using dns = await startDnsServer((name, type): DnsReply => {
    const texts = records[name]
    if (texts === undefined) return 'NXDOMAIN'
    if (typeof texts === 'string') return texts
    if (type !== 'TXT') return []
    return texts.map((text) => ({ name, type: 'TXT', ttl: 0, data: text.split('|') }))
  })
  const findings = await checkMailDomain(
    { lookupText: createTextLookup(() => dns.resolver(2000)) },
    domain,
  )
  return Object.fromEntries(findings.map(({ record, ...rest }) => [record, rest]))
}

test('a domain that says what it should', async () => {
  expect(
    await check({
      'company.test': ['google-site-verification=x', 'v=spf1 include:_spf.google.com| ~all'],
      'google._domainkey.company.test': ['v=DKIM1; k=rsa; p=MIIBIjAN|BgkqhkiG'],
      '_dmarc.company.test': ['v=DMARC1; p=Reject; rua=mailto:d@company.test'],
    }),
  ).toEqual({
    SPF: { status: 'ok', detail: 'found', remedy: null },
    DKIM: { status: 'ok', detail: 'found under the selector google', remedy: null },
    DMARC: { status: 'ok', detail: 'found, with the policy reject', remedy: null },
  })
})

test('a domain that says nothing is told what to add', async () => {
  const { SPF, DKIM, DMARC } = await check({})
  expect(SPF).toMatchObject({ status: 'warn', remedy: expect.stringContaining('TXT record') })
  expect(DKIM).toMatchObject({ status: 'warn', detail: 'no key under the usual selectors' })
  expect(DMARC?.remedy).toContain('_dmarc.company.test')
})

test('DMARC holds for the domains below, SPF does not', async () => {
  const above = {
    'company.test': ['v=spf1 -all'],
    '_dmarc.company.test': ['v=DMARC1;p=none'],
  }
  const { SPF, DMARC } = await check(above, 'mail.eu.company.test')
  expect(SPF?.status).toBe('warn')
  expect(DMARC).toMatchObject({ status: 'ok', detail: 'found, with the policy none' })
})

test.each<[string, string[], RegExp]>([
  ['two SPF records', ['v=spf1 -all', 'v=spf1 ~all'], /void/],
  ['an SPF record that lets everybody', ['v=spf1 +all'], /~all/],
])('%s is a fault', async (_what, texts, remedy) => {
  const { SPF } = await check({ 'company.test': texts })
  expect(SPF).toMatchObject({ status: 'warn', remedy: expect.stringMatching(remedy) })
})

test('a key that was withdrawn is no key, a policy that is missing no policy', async () => {
  const { DKIM, DMARC } = await check({
    'default._domainkey.company.test': ['v=DKIM1; p='],
    '_dmarc.company.test': ['v=DMARC1; rua=mailto:d@company.test'],
  })
  expect(DKIM?.status).toBe('warn')
  expect(DMARC).toMatchObject({ status: 'warn', detail: 'a record without a policy' })
})

test('name servers that fail are not held against the domain', async () => {
  const { SPF } = await check({ 'company.test': 'SERVFAIL' })
  expect(SPF).toMatchObject({ status: 'warn', detail: 'the name servers gave no answer' })
})

test('a key is not called missing while the name servers do not answer for one of its selectors', async () => {
  const { DKIM } = await check({ 'selector1._domainkey.company.test': 'SERVFAIL' })
  expect(DKIM).toMatchObject({ status: 'warn', detail: 'the name servers gave no answer' })
  const other = await check({
    'selector1._domainkey.company.test': 'SERVFAIL',
    'default._domainkey.company.test': ['v=DKIM1; p=MIIB'],
  })
  expect(other.DKIM).toMatchObject({ status: 'ok' })
})
