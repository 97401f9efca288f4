import { expect, test } from 'vitest'
import { isByMachine, type Visit } from './machine.ts'

const longAgoMs = 60_000
const person =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const visit = (agent: string | undefined, more: Partial<Visit> = {}): Visit => ({
  method: 'GET',
  ...more,
  headers: { 'user-agent': agent, ...more.headers },
})

test.each([
  person,
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
  'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; ms-office; MSOffice 16)',
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Thunderbird/140.5.0',
  'Mozilla/5.0 (Linux; Android 12; CUBOT X50) AppleWebKit/537.36 Chrome/120.0 Mobile Safari/537.36',
])('%s is a person', (agent) => {
  expect(isByMachine('open', visit(agent), longAgoMs)).toBe(false)
  expect(isByMachine('click', visit(agent), longAgoMs)).toBe(false)
})

test.each([
  undefined,
  '',
  'Mozilla/5.0',
  'Mozilla/5.0 (compatible; Barracuda Sentinel)',
  'Mimecast URL Protect',
  'Proofpoint URL Defense',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (compatible; bingbot/2.0)',
  'Mozilla/5.0 (Windows NT 6.1) AppleWebKit/534+ (KHTML, like Gecko) BingPreview/1.0b',
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/142.0.0.0 Safari/537.36',
  'Microsoft Office Existence Discovery',
  'curl/8.5.0',
  'python-requests/2.32',
  'Go-http-client/2.0',
  'facebookexternalhit/1.1',
])('%s is a machine', (agent) => {
  expect(isByMachine('open', visit(agent), longAgoMs)).toBe(true)
  expect(isByMachine('click', visit(agent), longAgoMs)).toBe(true)
})

test.each<[string, Partial<Visit>]>([
  ['HEAD', { method: 'HEAD' }],
  ['Sec-Purpose', { headers: { 'sec-purpose': 'prefetch;prerender' } }],
  ['Purpose', { headers: { purpose: 'prefetch' } }],
  ['X-Moz', { headers: { 'x-moz': 'prefetch' } }],
  ['X-Purpose', { headers: { 'x-purpose': 'preview' } }],
])('whoever says so with %s is one', (_header, more) => {
  expect(isByMachine('click', visit(person, more), longAgoMs)).toBe(true)
})

test('what comes sooner than anybody reads is one', () => {
  const after = (kind: 'open' | 'click', ms: number) => isByMachine(kind, visit(person), ms)
  expect([after('open', 1999), after('open', 2000)]).toEqual([true, false])
  expect([after('click', 4999), after('click', 5000)]).toEqual([true, false])
  expect(after('open', Number.POSITIVE_INFINITY)).toBe(false)
})

test.each([
  'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
  'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html',
])('%s opens for a reader, but not on arrival, and follows no link', (agent) => {
  const after = (kind: 'open' | 'click', ms: number) => isByMachine(kind, visit(agent), ms)
  expect([after('open', 9_999), after('open', 10_000)]).toEqual([true, false])
  expect(after('click', longAgoMs)).toBe(true)
  expect(isByMachine('open', visit(agent, { method: 'HEAD' }), longAgoMs)).toBe(true)
})
