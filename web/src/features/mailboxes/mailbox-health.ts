import type { Mailbox } from '../../api/generated/types.gen.ts'
import { nowMs } from '../../lib/clock.ts'
import type { Tone } from '../../ui/StateBadge.tsx'

/** What a person wants to know first; the server's words say why. */
export type Health = 'connected' | 'starting' | 'full' | 'unread' | 'paused' | 'error'

export const healthTones: Record<Health, Tone> = {
  connected: 'green',
  starting: 'blue',
  full: 'blue',
  unread: 'amber',
  paused: 'gray',
  error: 'red',
}

/** One that was connected, resumed or changed just now is not read yet, and nothing is wrong with it. */
const startMs = 15 * 60_000

export function healthOf(mailbox: Mailbox): Health {
  const { status, is_inbox_read, inbox_read_at, sent_today, limit_today } = mailbox
  if (status !== 'connected') return status
  if (!is_inbox_read) {
    const isStarting = nowMs() - Date.parse(mailbox.timestamp_updated) < startMs
    return isStarting && inbox_read_at === null ? 'starting' : 'unread'
  }
  return sent_today >= limit_today ? 'full' : 'connected'
}

/** How often pages ask again, as no event tells that an inbox was read: soon for one that is starting. */
export const mailboxPollMs = (mailboxes: Mailbox[] = []) =>
  mailboxes.some((mailbox) => healthOf(mailbox) === 'starting') ? 2000 : 60_000
