import type { WebhookEvent } from '../../api/generated/types.gen.ts'
import type { Tone } from '../../ui/StateBadge.tsx'

/** What became of an attempt, and of its delivery since; of a webhook that is off nothing is tried. */
export function attemptStateOf(attempt: WebhookEvent, isActive: boolean) {
  const { success, will_retry, retry_successful } = attempt
  if (success) return 'delivered'
  if (retry_successful === true) return 'later'
  if (!will_retry || retry_successful !== null) return 'failed'
  return isActive ? 'retrying' : 'waiting'
}

export const attemptTones: Record<ReturnType<typeof attemptStateOf>, Tone> = {
  delivered: 'green',
  later: 'gray',
  retrying: 'amber',
  waiting: 'amber',
  failed: 'red',
}

/** `http_status: 503` is the kind `http_status` with a detail. */
export function errorOf({ error_message }: WebhookEvent): { kind: string; detail: string } {
  const [kind = '', ...rest] = (error_message ?? '').split(': ')
  return { kind, detail: rest.join(': ') }
}
