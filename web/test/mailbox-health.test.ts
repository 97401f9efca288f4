import { afterEach, expect, test, vi } from 'vitest'
import type { Mailbox } from '../src/api/generated/types.gen.ts'
import { healthOf } from '../src/features/mailboxes/mailbox-health.ts'

const nowMs = Date.parse('2026-11-20T12:00:00Z')
const ago = (minutes: number) => new Date(nowMs - minutes * 60_000).toISOString()
const unread = {
  ...{ status: 'connected', is_inbox_read: false, inbox_read_at: null },
  ...{ sent_today: 0, limit_today: 50, timestamp_created: ago(600) },
}
const health = (mailbox: object) => {
  vi.useFakeTimers({ now: nowMs })
  return healthOf({ ...unread, ...mailbox } as Mailbox)
}
afterEach(() => vi.useRealTimers())

test('a mailbox that was resumed or given another login just now is starting, and not unread for long', () => {
  expect(health({ timestamp_updated: ago(1) })).toBe('starting')
  expect(health({ timestamp_updated: ago(16) })).toBe('unread')
  expect(health({ timestamp_updated: ago(1), inbox_read_at: ago(16) })).toBe('unread')
})
