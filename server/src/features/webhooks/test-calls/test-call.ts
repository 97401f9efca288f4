import type { Context } from '../../../kernel/context.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { AppError, notFound } from '../../../kernel/errors.ts'
import type { RateLimit } from '../../../kernel/http/rate-limit.ts'
import { limitAtOnce } from '../../../kernel/limit-at-once.ts'
import {
  attemptOf,
  chooseCountStripe,
  observeAttempt,
  recordAttempts,
  resultOf,
  send,
} from '../../deliveries/index.ts'
import { storeEvents } from '../../events/index.ts'
import { refuseWhileHeld } from '../../sending/index.ts'
import { findDestination, findLabelOfType, openDestination } from '../index.ts'
import { sampleEvent } from './sample.ts'

export interface WebhookTestResult {
  success: boolean
  status_code: number | null
  response_time_ms: number
  error: string | null
}

const testsPerMinute = 60

type Attempts = Pick<RateLimit, 'count'>

/** A test of a receiver that hangs lasts as long as the deadline of a delivery. */
export const takeTestSlot = limitAtOnce('webhook tests', { ofWorkspaceMax: 8, ofProcessMax: 64 })

/**
 * Sends one signed delivery with sample data, through the code, address policy and deadline of live
 * ones but in a slot of its own, and records it before it answers. It is not retried, does not count
 * for the destination's health, and works for a disabled destination too.
 *
 * @param stop cuts it: what became of it is still recorded and answered
 */
export async function testWebhook(
  ctx: Context,
  workspaceId: string,
  webhookId: string,
  attempts: Attempts,
  stop?: AbortSignal,
): Promise<WebhookTestResult> {
  const destination = await findDestination(ctx.db, workspaceId, webhookId)
  if (!destination) throw notFound('webhook')
  await refuseWhileHeld(ctx)
  using _slot = takeTestSlot(ctx.http, workspaceId)
  await countTest(attempts, webhookId)
  const label = await findLabelOfType(ctx.db, workspaceId, destination.event_type)
  const [event] = await transaction(ctx, (tx) =>
    storeEvents(tx, workspaceId, [sampleEvent(destination, label, workspaceId, tx.now())]),
  )
  if (!event) throw new Error('a stored event comes back')
  const open = openDestination(ctx, destination)
  const sent = { id: event.id, body: event.body }
  const outcome = await send(ctx, 'webhook tests', open, sent, stop)
  if (outcome.kind === 'unsent') throw notSent()
  const result = resultOf(outcome)
  // The delivery before its attempt, as its replay looks for it.
  const delivery = { retry_group_id: ctx.newId(), retry_count: 0, timestamp_next_retry: null }
  const ids = { workspace_id: workspaceId, webhook_id: webhookId }
  const place = { ...ids, webhook_url: open.url, ...delivery }
  const attempt = attemptOf(ctx, place, event, result)
  const countStripe = chooseCountStripe(ctx)
  await transaction(ctx, (tx) => recordAttempts(tx, [attempt], countStripe))
  observeAttempt(ctx, attempt)
  return {
    success: result.success,
    status_code: result.status_code,
    response_time_ms: result.response_time_ms ?? 0,
    error: result.error_message,
  }
}

const notSent = () =>
  new AppError('unavailable', 'The test could not be sent now; wait and try again.')

async function countTest(attempts: Attempts, webhookId: string) {
  const { tries, secondsLeft } = await attempts.count(`webhook-test:${webhookId}`, 60)
  if (tries <= testsPerMinute) return
  throw new AppError(
    'rate_limited',
    `A webhook can be tested ${testsPerMinute} times a minute; wait and try again.`,
    { headers: { 'retry-after': String(secondsLeft) } },
  )
}
