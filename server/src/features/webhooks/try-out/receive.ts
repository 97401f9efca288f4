import { RateLimiterMemory } from 'rate-limiter-flexible'
import {
  type AnyContext,
  type Context,
  enterWorkspace,
  processOf,
} from '../../../kernel/context.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { describeError } from '../../../kernel/log.ts'
import type { PostOutcome } from '../../../kernel/outbound/index.ts'
import { tellPages } from '../../live/index.ts'
import { findDestination, openDestination } from '../destinations.ts'
import { mask } from '../headers.ts'
import { endingOf, endOf, type TryOut, tokenOf, tryOutAt } from './address.ts'
import * as queries from './queries.ts'
import { type Problem, verify } from './verify.ts'

/** Kept of a receiver; older ones go. */
const callsMax = 50
/** Of one receiver, in ten seconds. */
const callsPerWindow = 30
export const windowSeconds = 10

/** What stands in the page as it was sent; others may hold what only the receiver should know. */
const shownHeaders = new Set([
  ...['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp', 'webhook-signature'],
])

/** What a receiver answers. */
interface Answered {
  status: 200 | 410 | 429
  text: string
}

const tooMany: Answered = { status: 429, text: 'Too many requests.' }

/** Keeps a request to a try-out receiver, with whether one of our destinations has signed it. */
export async function receive(
  ctx: Context,
  tryOut: TryOut,
  headers: Record<string, string>,
  body: Buffer,
): Promise<Answered> {
  if (ctx.now() >= endOf(tryOut)) return { status: 410, text: 'This try-out receiver is over.' }
  if (!(await isWithinRate(tryOut.id))) return tooMany
  const { verifiedBy, problem } = await findSender(ctx, tryOut, headers, body)
  const { workspaceId, id: tryOutId } = tryOut
  const isKept = await transaction(ctx, async (tx) => {
    // Other processes receive as well.
    await queries.lockReceiver(tx.db, tryOutId)
    const since = new Date(tx.now().getTime() - windowSeconds * 1000)
    const before = await queries.countCallsSince(tx.db, workspaceId, tryOutId, since)
    if (before >= callsPerWindow) return false
    await queries.insertCall(tx.db, {
      workspace_id: workspaceId,
      try_out_id: tryOutId,
      id: tx.newId(),
      headers: JSON.stringify(
        Object.entries(headers).map(([name, value]) => ({
          name,
          value: shownHeaders.has(name) ? value : mask,
        })),
      ),
      // PostgreSQL keeps no zeros in a text.
      body: body.toString('utf8').replaceAll('\0', '\ufffd'),
      verified_by: verifiedBy,
      problem: problem ?? null,
      timestamp_created: tx.now(),
    })
    await queries.deleteCallsBut(tx.db, workspaceId, tryOutId, callsMax)
    tellPages(tx, workspaceId, ['deliveries'])
    return true
  })
  if (!isKept) return tooMany
  return { status: 200, text: verifiedBy ? 'Received, and the signature is right.' : 'Received.' }
}

/**
 * A delivery to a try-out receiver, handed over within the process: nothing is connected to, so that
 * the filter of outbound addresses stays as closed as it is.
 *
 * @returns undefined when the address is that of no receiver
 */
export function receiveDelivery(
  ctx: AnyContext,
  url: string,
  request: { headers: Record<string, string>; body: string },
): Promise<PostOutcome> | undefined {
  const tryOut = tryOutAt(ctx, url)
  // It may be another workspace's than that of the destination.
  return tryOut && answerDelivery(ctx, tryOut, request)
}

/** Of the workspace that the receiver belongs to. */
export const inReceiver = (ctx: AnyContext, { workspaceId }: TryOut): Promise<Context> =>
  enterWorkspace(processOf(ctx), workspaceId)

async function answerDelivery(
  ctx: AnyContext,
  tryOut: TryOut,
  { headers, body }: { headers: Record<string, string>; body: string },
): Promise<PostOutcome> {
  const startedMs = ctx.monotonicMs()
  const durationMs = () => ctx.monotonicMs() - startedMs
  try {
    const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])
    const own = await inReceiver(ctx, tryOut)
    const received = await receive(own, tryOut, Object.fromEntries(lower), Buffer.from(body))
    const retryAfter = received.status === 429 ? String(windowSeconds) : null
    const answer = { status: received.status, body: received.text, retryAfter }
    return { kind: 'response', ...answer, durationMs: durationMs() }
  } catch (error) {
    ctx.log.warn(describeError(error), 'a try-out receiver could not keep what it was sent')
    return { kind: 'unsent', reason: 'the try-out receiver failed', durationMs: durationMs() }
  }
}

async function findSender(
  ctx: Context,
  tryOut: TryOut,
  headers: Record<string, string>,
  body: Buffer,
): Promise<{ verifiedBy: string | null; problem?: Problem }> {
  const { workspaceId } = tryOut
  const { now, worldTime = now } = ctx
  const ending = endingOf(tokenOf(ctx, tryOut))
  let problem: Problem = 'no_destination'
  for (const { id } of await queries.listWebhookIdsAt(ctx.db, workspaceId, ending)) {
    const row = await findDestination(ctx.db, workspaceId, id)
    if (!row) continue
    const found = verify(headers, body, openDestination(ctx, row).secrets, worldTime())
    if (!found) return { verifiedBy: id }
    problem = found
  }
  return { verifiedBy: null, problem }
}

// Of this process alone, so that a flood does not reach the database.
const limiter = new RateLimiterMemory({ points: callsPerWindow, duration: windowSeconds })

const isWithinRate = (tryOutId: string) =>
  limiter.consume(tryOutId).then(
    () => true,
    () => false,
  )
