import type { AnyContext } from '../../kernel/context.ts'
import type { Attempt } from './delivery.ts'

/** One line and one count per attempt, however it ended: ids, outcome and timing, never content. */
export function observeAttempt(ctx: AnyContext, attempt: Attempt) {
  const { success, will_retry, error_message } = attempt
  ctx.metrics.delivery(success ? 'succeeded' : will_retry ? 'will_retry' : 'gave_up')
  // Successes are too many for the log.
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
