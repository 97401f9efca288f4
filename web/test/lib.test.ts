import { expect, test } from 'vitest'
import { browserOf } from '../src/features/account/browser-of.ts'
import { auditFilterOf, auditQueryOf } from '../src/features/audit/filter.ts'
import { expiryInstant } from '../src/features/keys/expiry.ts'
import { relativeTime } from '../src/lib/time.ts'

const now = new Date(2026, 10, 20, 9, 37)

test('a key lives to the end of the day that was chosen, in the reader’s own calendar', () => {
  expect(expiryInstant('never', '', now)).toBeUndefined()
  expect(expiryInstant('date', '', now)).toBeUndefined()
  const endOf = (year: number, month: number, day: number) =>
    new Date(year, month - 1, day, 23, 59, 59, 999).toISOString()
  expect(expiryInstant('date', '2027-01-31', now)).toBe(endOf(2027, 1, 31))
  expect(expiryInstant('30', '', now)).toBe(endOf(2026, 12, 20))
})

test('of an address that somebody typed only filters that make sense are kept', () => {
  const typed = { about: 'secrets', from: '2026-13', to: '2026-11-20', more: 1 }
  expect(auditFilterOf(typed)).toEqual({ to: '2026-11-20' })
  expect(auditFilterOf({ about: 'key', from: 20_261_120 })).toEqual({ about: 'key' })
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
