import { dayMs } from '../../kernel/durations.ts'
import type { SentOutcome } from '../../kernel/outbound/index.ts'
import type { AttemptResult, Decision, Health } from './delivery.ts'

/** What one outcome means for its attempt, its delivery and its destination. */
interface Assessment {
  result: AttemptResult
  decision: Decision
  health: Health
}

export interface RetryRules {
  /** Waits before each retry. */
  delaysMs: number[]
  now: Date
  /** Uniform in [0, 1). */
  random: number
}

/** Judges an answer, or its absence (contract §4 "Outcome of an attempt" and "Retries"). Pure. */
export const assess = (
  outcome: SentOutcome,
  delivery: { attempt: number; expires_ms: number },
  rules: RetryRules,
): Assessment => ({
  result: resultOf(outcome),
  decision: decide(outcome, delivery, rules),
  health: healthOf(outcome),
})

/** What is recorded of the attempt. */
export function resultOf(outcome: SentOutcome): AttemptResult {
  if (outcome.kind === 'failure') {
    const detail = outcome.detail ? `${outcome.error}: ${outcome.detail}` : outcome.error
    return {
      status_code: null,
      success: false,
      error_message: detail,
      response_time_ms: Math.round(outcome.durationMs),
      response_body: null,
    }
  }
  const { status } = outcome
  const success = isSuccess(outcome)
  const kind = status >= 300 && status < 400 ? 'redirect' : 'http_status'
  return {
    status_code: status,
    success,
    error_message: success ? null : `${kind}: ${status}`,
    response_time_ms: Math.round(outcome.durationMs),
    response_body: outcome.body,
  }
}

function decide(
  outcome: SentOutcome,
  delivery: { attempt: number; expires_ms: number },
  rules: RetryRules,
): Decision {
  if (isSuccess(outcome)) return { kind: 'delivered' }
  if (outcome.kind === 'response' && outcome.status === 410) {
    return { kind: 'ended', disable: 'gone' }
  }
  const delayMs = rules.delaysMs[delivery.attempt]
  if (delayMs === undefined) return { kind: 'ended', disable: null }
  const jittered = delayMs * (0.8 + 0.4 * rules.random)
  // A receiver may ask for more time, never for less: all attempts would be over within seconds.
  const waitMs = Math.max(Math.round(jittered), retryAfterMs(outcome, rules.now))
  const dueAt = new Date(rules.now.getTime() + waitMs)
  // Nothing is attempted after its 72 h: a retry beyond them would be a false promise.
  if (dueAt.getTime() > delivery.expires_ms) return { kind: 'ended', disable: null }
  return { kind: 'retry', dueAt }
}

function healthOf(outcome: SentOutcome): Health {
  // Such an answer holds a place for as long as a receiver that hangs.
  const isLate = outcome.kind === 'response' && outcome.isLate
  if (isSuccess(outcome)) return isLate ? 'late' : 'ok'
  if (isLate) return 'overloaded'
  if (outcome.kind === 'failure') return outcome.error === 'timeout' ? 'overloaded' : 'failed'
  const { status } = outcome
  if (status === 429 || status === 503) return 'overloaded'
  return status >= 400 && status < 500 && !ofReceiver.has(status) ? 'refused' : 'failed'
}

/** Of 4xx those that say something of the receiver, and nothing of the event: 408, 410 and 425. */
const ofReceiver = new Set([408, 410, 425])

const isSuccess = (outcome: SentOutcome) =>
  outcome.kind === 'response' && outcome.status >= 200 && outcome.status < 300

/** `Retry-After` of a 429 or 503 in seconds or as a date (RFC 9110 §10.2.3), at most 24 h; 0: none. */
function retryAfterMs(outcome: SentOutcome, now: Date): number {
  if (outcome.kind !== 'response' || !outcome.retryAfter) return 0
  if (outcome.status !== 429 && outcome.status !== 503) return 0
  const text = outcome.retryAfter.trim()
  const isDate = /^[A-Z][a-z]{2,8},? /.test(text)
  // Of the three forms asctime's names no zone; it would be read in that of this process.
  const hasZone = !/(?: \d{4}|:\d{2})$/.test(text)
  const date = isDate ? Date.parse(hasZone ? text : `${text} GMT`) : Number.NaN
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : date - now.getTime()
  return Number.isNaN(waitMs) ? 0 : Math.min(dayMs, waitMs)
}
