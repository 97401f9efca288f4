import type { AnyContext } from '../../kernel/context.ts'
import type { Attempt } from './delivery.ts'

/** One line and one count per attempt, however it ended: ids, outcome and timing, never content. */
export function observeAttempt(ctx: AnyContext, attempt: Attempt) {
  const { success, will_retry, error_message } = attempt
  ctx.metrics.delivery(success ? 'succeeded' : will_retry ? 'will_retry' : 'gave_up')
  // Successes are too many for the log, which has their number.
  const level = success ? 'debug' : 'info'
  ctx.log[level](
    {
      workspace_id: attempt.workspace_id,
      webhook_id: attempt.webhook_id,
      event_id: attempt.event_id,
      event_type: attempt.event_type,
      retry_group_id: attempt.retry_group_id,
      retry_count: attempt.retry_count,
      status: attempt.status_code,
      success,
      will_retry,
      // The kind alone: a detail can name a host.
      error: error_message?.split(':')[0] ?? null,
      ms: attempt.response_time_ms,
    },
    'delivery attempt',
  )
}

/** How many deliveries succeeded since it was told last, for a line of the log; none for none. */
export function countSuccesses({ log }: AnyContext) {
  let succeeded = 0
  return {
    count: ({ success }: Attempt) => {
      if (success) succeeded += 1
    },
    tell: () => {
      if (succeeded > 0) log.info({ succeeded }, 'deliveries succeeded')
      succeeded = 0
    },
  }
}
