import type { AnyContext } from '../../kernel/context.ts'

/** What a delivery and its attempts are made of; shared by sending, deciding and settling. */

/** The clock that made an attempt's id may be behind the one of its delivery, or of the attempt before it. */
export const clockLagMs = 120_000

/** The event of a delivery; deliveries of one event that are read together share it. */
export interface DueEvent {
  id: string
  type: string
  campaign_id: string | null
  lead_email: string | null
  body: string
}

/** A delivery that is due, with the bytes to send. */
export interface DueDelivery {
  webhook_id: string
  id: string
  event: DueEvent
  /** As the database writes it: a `Date` knows no microseconds, and costs more than the row. */
  due_at: string
  /** Since 1970. */
  expires_ms: number
  /** Attempts made so far: the next one's `retry_count`. */
  attempt: number
}

/** One attempt as it is recorded (contract §4 "Webhook event record"). */
export interface Attempt {
  workspace_id: string
  id: string
  webhook_id: string
  webhook_url: string
  event_id: string
  event_type: string
  campaign_id: string | null
  lead_email: string | null
  retry_group_id: string
  retry_count: number
  status_code: number | null
  success: boolean
  will_retry: boolean
  timestamp_next_retry: Date | null
  error_message: string | null
  response_time_ms: number | null
  response_body: string | null
}

/** What an attempt tells about it, before it is recorded. */
export interface AttemptResult {
  status_code: number | null
  success: boolean
  error_message: string | null
  response_time_ms: number | null
  response_body: string | null
}

/**
 * Which attempt of a delivery it is; one that was made, or whose delivery ended without it. It was the
 * last one where there is no next.
 */
type AttemptPlace = Pick<
  Attempt,
  | 'workspace_id'
  | 'webhook_id'
  | 'webhook_url'
  | 'retry_group_id'
  | 'retry_count'
  | 'timestamp_next_retry'
>

export const attemptOf = (
  ctx: AnyContext,
  place: AttemptPlace,
  event: Omit<DueEvent, 'body'>,
  result: AttemptResult,
): Attempt => ({
  ...place,
  id: ctx.newId(),
  event_id: event.id,
  event_type: event.type,
  campaign_id: event.campaign_id,
  lead_email: event.lead_email,
  will_retry: place.timestamp_next_retry !== null,
  ...result,
})

/** What becomes of the delivery: the compiler lists the cases wherever it matters. */
export type Decision =
  | { kind: 'delivered' }
  | { kind: 'retry'; dueAt: Date }
  | { kind: 'ended'; disable: 'gone' | null }

/**
 * What an answer says of the receiver, for the lane's concurrency; `late`: it took the event, and its answer
 * did not end in time; `refused`: it is there, and did not take this event.
 */
export type Health = 'ok' | 'late' | 'refused' | 'failed' | 'overloaded'
