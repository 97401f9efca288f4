import type { Mailbox } from '../../api/generated/types.gen.ts'
import type { Tone } from '../../ui/StateBadge.tsx'

/** What a person wants to know first; the server's words say why. */
export type Health = 'connected' | 'full' | 'unread' | 'paused' | 'error'

export const healthTones: Record<Health, Tone> = {
  connected: 'green',
  full: 'blue',
  unread: 'amber',
  paused: 'gray',
  error: 'red',
}

export function healthOf({ status, is_inbox_read, sent_today, limit_today }: Mailbox): Health {
  if (status !== 'connected') return status
  if (!is_inbox_read) return 'unread'
  return sent_today >= limit_today ? 'full' : 'connected'
}
