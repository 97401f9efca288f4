import { createElement, Suspense } from 'react'
import { renderToString } from 'react-dom/server'
import { afterEach, expect, test, vi } from 'vitest'
import { faultOf, unreachable, withRetryAfter } from '../src/api/fault.ts'
import { browserOf } from '../src/features/account/browser-of.ts'
import { contactsSearchOf } from '../src/features/acquisition/search.ts'
import { auditQueryOf, auditSearchOf } from '../src/features/audit/search.ts'
import {
  campaignSearchOf,
  campaignsSearchOf,
  searchOfProblem,
} from '../src/features/campaigns/search.ts'
import { inboxSearchOf } from '../src/features/inbox/search.ts'
import { snoozeTime } from '../src/features/inbox/snooze-times.ts'
import { expiryInstant } from '../src/features/keys/expiry.ts'
import { labelChoices } from '../src/features/labels/statuses.ts'
import { leadsSearchOf } from '../src/features/leads/search.ts'
import { mailboxesSearchOf } from '../src/features/mailboxes/search.ts'
import { suppressionSearchOf } from '../src/features/suppression/search.ts'
import { signInSearchOf } from '../src/features/users/search.ts'
import { webhookSearchOf } from '../src/features/webhooks/search.ts'
import { learnTime, nowMs } from '../src/lib/clock.ts'
import { lazyPart } from '../src/lib/lazy-part.ts'
import { partsBeside } from '../src/lib/text.ts'
import { dayIn, relativeTime } from '../src/lib/time.ts'

const now = new Date(2026, 10, 20, 9, 37)

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

test('a key lives to the end of the day that was chosen, in the reader’s own calendar', () => {
  expect(expiryInstant('never', '', now)).toBeUndefined()
  const endOf = (year: number, month: number, day: number) =>
    new Date(year, month - 1, day, 23, 59, 59, 999).toISOString()
  expect(expiryInstant('date', '2027-01-31', now)).toBe(endOf(2027, 1, 31))
  expect(expiryInstant('30', '', now)).toBe(endOf(2026, 12, 20))
})

test('of an address that somebody typed only filters that make sense are kept', () => {
  const typed = { about: 'secrets', from: '2026-13', to: '2026-11-20', more: 1 }
  expect(auditSearchOf(typed)).toEqual({ to: '2026-11-20' })
  expect(auditSearchOf({ about: 'key', from: 20_261_120 })).toEqual({ about: 'key' })
  expect(leadsSearchOf({ q: 2026 })).toMatchObject({ q: '2026' })
  expect(leadsSearchOf({ q: 'x'.repeat(9000) }).q).toHaveLength(200)
  expect(webhookSearchOf({ from: '2026-13-45', to: '2026-11-20' })).toEqual({ to: '2026-11-20' })
  const since = '2026-11-20T03:04:05.678Z'
  expect(webhookSearchOf({ panel: 'replay', since })).toEqual({ panel: 'replay', since })
  expect(webhookSearchOf({ since: '2026-13-45T00:00:00.000Z' })).toEqual({})
  // Less a minute, or by the reader's clock, it would be in no year that can be shown.
  expect(webhookSearchOf({ since: '0000-01-01T00:00:00Z' })).toEqual({})
})

test('results are counted over one of the periods that can be chosen, whatever the address says', () => {
  expect([7, 14, 30, '30', 365, 400].map((days) => campaignSearchOf({ days }).days)).toEqual([
    ...[7, undefined, 30, undefined, 365, undefined],
  ])
})

test('who signs in is sent on to a page of ours, and to no other site', () => {
  for (const next of ['/w/northwind/leads?q=a', '/account', '/consent?state=a.b']) {
    expect(signInSearchOf({ next })).toEqual({ next })
  }
  const elsewhere = [
    'https://elsewhere.example/',
    '//elsewhere.example/w/',
    String.raw`\\elsewhere.example`,
  ]
  for (const next of [...elsewhere, 'javascript:alert(1)', '/wrong', ' /w/a', 'w/a', ['/w/a'], 1]) {
    expect(signInSearchOf({ next })).toEqual({})
  }
})

test('why somebody comes back from their provider is one of the reasons that the page knows', () => {
  for (const error of ['oidc', 'oidc-failed']) expect(signInSearchOf({ error })).toEqual({ error })
  expect(signInSearchOf({ error: 'state_mismatch' })).toEqual({})
})

test('a search that is too long for the server is not cut within a letter that is a pair', () => {
  const long = '𐐨'.repeat(600)
  for (const before of ['', 'a']) {
    const text = before + long
    const sought = [
      contactsSearchOf({ q: text }).q,
      leadsSearchOf({ q: text }).q,
      campaignsSearchOf({ search: text }).search,
      inboxSearchOf({ search: text }).search,
      mailboxesSearchOf({ search: text }).search,
      suppressionSearchOf({ search: text }).search,
    ]
    for (const each of sought) expect(each?.isWellFormed()).toBe(true)
  }
})

test('the last day of a filter is in it as a whole', () => {
  expect(auditQueryOf({ about: 'key', from: '2026-11-20', to: '2026-11-20' })).toEqual({
    action: 'key.',
    from: new Date(2026, 10, 20).toISOString(),
    to: new Date(2026, 10, 21).toISOString(),
  })
  expect(auditQueryOf({})).toEqual({})
})

test('a time is told in the largest unit that it fills', () => {
  const at = (ms: number) => relativeTime(new Date(now.getTime() + ms).toISOString(), now.getTime())
  expect(at(-59_000)).toBe('59 sec. ago')
  expect(at(-61_000)).toBe('1 min. ago')
  expect(at(3 * 86_400_000)).toBe('in 3 days')
  expect(at(100)).toBe('now')
})

test('no day but the one beside today is called yesterday or tomorrow', () => {
  const at = (ms: number) => relativeTime(new Date(now.getTime() + ms).toISOString(), now.getTime())
  // From 9:37 it is another day after 15 hours, and the one after that after 39: 35 may be either.
  const words = [-35, -25, 25, 35].map((hours) => at(hours * 3_600_000))
  expect(words).toEqual(['1 day ago', '1 day ago', 'in 1 day', 'in 1 day'])
})

test('on a computer whose clock is a day off, time is the server’s', () => {
  vi.useFakeTimers({ now, toFake: ['Date'] })
  const dayMs = 86_400_000
  learnTime(new Date(now.getTime() + dayMs).toISOString())
  expect(nowMs()).toBe(now.getTime() + dayMs)
  learnTime(null)
  expect(nowMs()).toBe(now.getTime() + dayMs)
  // An answer that was a while on its way tells nothing of the clock.
  learnTime(new Date(now.getTime() - 5000).toISOString())
  expect(nowMs()).toBe(now.getTime())
})

test('days follow each other where one has 23 or 25 hours, and far east of UTC', () => {
  const days = (at: string, zone: string) => {
    vi.useFakeTimers({ now: new Date(at), toFake: ['Date'] })
    return [0, 1, 2].map((after) => dayIn(zone, after))
  }
  const autumn = ['2026-10-25', '2026-10-26', '2026-10-27']
  expect(days('2026-10-24T22:30:00Z', 'Europe/Berlin')).toEqual(autumn)
  const spring = ['2026-03-28', '2026-03-29', '2026-03-30']
  expect(days('2026-03-28T22:30:00Z', 'Europe/Berlin')).toEqual(spring)
  expect(days('2026-10-24T10:30:00Z', 'Pacific/Kiritimati')).toEqual(autumn)
})

test('a server that asks for a moment of patience gets it, and one that asks for long is shown', () => {
  const after = (seconds: string) =>
    withRetryAfter(unreachable, new Response('', { headers: { 'retry-after': seconds } }))
  expect(after('2').retryAfterMs).toBe(2000)
  expect(after('900').retryAfterMs).toBeUndefined()
  expect(after('Fri, 20 Nov 2026 09:37:00 GMT').retryAfterMs).toBeUndefined()
  expect(withRetryAfter(unreachable, undefined).retryAfterMs).toBeUndefined()
})

test('an answer in no words of ours is told by its status, or the server is away', () => {
  const codeOf = (status: number) => faultOf('<h1>…</h1>', new Response('', { status })).code
  expect([401, 403, 413, 429].map(codeOf)).toEqual(Array(4).fill('refused_by_proxy'))
  expect([404, 408, 502, 503, 504].map(codeOf)).toEqual(Array(5).fill('unreachable'))
  expect(faultOf(new TypeError('Failed to fetch'), undefined)).toBe(unreachable)
  const ours = { ...unreachable, code: 'rate_limited' as const, statusCode: 429 }
  expect(faultOf(ours, new Response('', { status: 429 }))).toBe(ours)
})

test('a session is named by browser and system, as far as they are known', () => {
  const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36'
  expect(browserOf(chrome)).toBe('Chrome, Linux')
  expect(browserOf(`${chrome} Edg/140.0`)).toBe('Edge, Linux')
  expect(browserOf('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604')).toBe(
    'Safari, iOS',
  )
  expect(browserOf('curl/8.0')).toBeUndefined()
  expect(browserOf(null)).toBeUndefined()
})

test('three hours are three where the clocks change in between', () => {
  vi.stubEnv('TZ', 'Europe/Berlin')
  const until = (from: string) => snoozeTime('hours', new Date(from))
  expect(until('2026-03-29T00:30:00.000Z')).toBe('2026-03-29T03:30:00.000Z')
  expect(until('2026-10-24T23:30:00.000Z')).toBe('2026-10-25T02:30:00.000Z')
})

test('a key sets no label of the end of the list before the workspace’s own are read', () => {
  const ofKey = (own: string[] | undefined, key: number) => {
    const { choices, keys } = labelChoices(own)
    return key <= keys ? choices[key - 1] : undefined
  }
  expect(ofKey(['hot'], 6)).toBe('hot')
  expect(ofKey([], 6)).toBe('wrong_person')
  expect(ofKey(undefined, 5)).toBe('not_interested')
  expect(ofKey(undefined, 6)).toBeUndefined()
  expect(labelChoices(undefined).choices).toContain('neutral')
})

const Question = () => 'Delete it?'

test('a part of a page that was read ahead is drawn at once, with nothing in its place before', async () => {
  vi.stubGlobal('requestIdleCallback', (work: () => void) => work())
  const Asked = lazyPart(() => Promise.resolve({ Question }), 'Question')
  await new Promise(setImmediate)
  const drawn = renderToString(createElement(Suspense, {}, createElement(Asked)))
  expect(drawn).toContain('Delete it?')
})

test.each([
  ['/sequences/0/steps/1/variants/0/body', { tab: 'steps', step: 2, variant: 1 }],
  ['/campaign_schedule/schedules/2/timing', { tab: 'schedule', schedule: 3 }],
  ['/campaign_schedule/start_date', { tab: 'schedule' }],
  ['/daily_limit', { tab: 'options' }],
])('what is wrong at %s is shown where it stands on the page', (path, place) => {
  expect(searchOfProblem(path)).toEqual(place)
})

test.each([
  [
    'a word in the middle',
    'lunch on Monday at one',
    'lunch on Friday at one',
    ['lunch on ', 'Monday ', 'at one'],
  ],
  ['a word that is gone', 'at one', 'at about one', ['at ', '', 'one']],
  ['a word that is twice there', 'very very good', 'very good', ['very ', 'very ', 'good']],
  ['all of it', 'lunch', 'coffee', ['', 'lunch', '']],
  ['nothing', 'lunch at one', 'lunch at one', ['lunch at one', '', '']],
])('two texts are told apart by words: %s', (_what, text, other, parts) => {
  expect(partsBeside(text, other)).toEqual(parts)
})
