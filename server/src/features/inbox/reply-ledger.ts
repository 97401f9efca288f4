import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { parseEmail } from '../../kernel/email.ts'
import { AppError } from '../../kernel/errors.ts'
import { describeError } from '../../kernel/log.ts'
import { addMessageIds, insertMessages } from '../messages/index.ts'
import { findSuppressed, holdSuppressions, type SuppressionReason } from '../suppression/index.ts'
import { safeHtml } from './classify/html.ts'
import { snippetOf } from './classify/visible-text.ts'
import { makeMail } from './reply-draft.ts'
import * as queries from './reply-queries.ts'
import { answerThread } from './thread-queries.ts'

// A reply goes the way of every mail (sending/ledger.ts):
//
//   claimed ─▶ transmitting ─▶ sent | failed | uncertain      failed ─▶ claimed (another attempt)
//
// Whoever finds one `claimed` that nobody seems to work on any more takes it over, and the attempt
// that it names marks nothing from then on. One that is left `transmitting` is uncertain. Every change
// names the attempt, so what a slower process knows still counts, and counts once.

export type ReplyOutcome =
  | { kind: 'sent' }
  | { kind: 'failed' | 'uncertain'; code: string | null; message: string }

export type ReplyClaim =
  | { kind: 'claimed'; attempt: queries.ReplyAttempt }
  /** It was sent, or may have been. */
  | { kind: 'known'; reply: queries.ShownReply }

/** Longer than anybody is between two marks; who takes longer is not hurt by being given up. */
const heldMs = 120_000

export const abandonedBefore = (ctx: Context) => new Date(ctx.now().getTime() - heldMs)

/** @throws AppError when it is being sent, or goes to an address that nothing is sent to */
export async function claimReply(
  ctx: Context,
  reply: queries.ReplyDraft & { is_forced: boolean },
): Promise<ReplyClaim> {
  const { workspace_id, idempotency_key } = reply
  const stored = await queries.findReply(ctx.db, workspace_id, idempotency_key)
  if (stored && isOpen(stored)) await giveUp(ctx, stored)
  return transaction(ctx, async (tx) => {
    await holdSuppressions(tx, workspace_id)
    const found = await queries.lockReply(tx.db, workspace_id, idempotency_key)
    if (found && isOpen(found)) throw inProgress()
    if (found && found.state !== 'failed') return { kind: 'known', reply: queries.shown(found) }
    const reason = await whySuppressed(tx, reply)
    if (reason) throw suppressed(reason)
    const attempt = { workspace_id, idempotency_key, attempt: (found?.attempt ?? 0) + 1 }
    const claim = { ...reply, ...attempt, id: tx.newId() }
    const isOurs = found
      ? await queries.retakeReply(tx.db, claim, tx.now())
      : await queries.insertReply(tx.db, claim, tx.now())
    if (!isOurs) throw inProgress()
    return { kind: 'claimed', attempt }
  })
}

/**
 * The last look before the end of the message.
 *
 * @returns why it must not be finished; nothing: it may be
 */
export async function markReply(
  ctx: Context,
  reply: queries.ReplyDraft & queries.ReplyAttempt & { is_forced: boolean },
): Promise<ReplyOutcome | undefined> {
  return transaction(ctx, async (tx) => {
    await holdSuppressions(tx, reply.workspace_id)
    const reason = await whySuppressed(tx, reply)
    if (reason) return { kind: 'failed', code: null, message: suppressed(reason).message }
    if (await queries.markTransmitting(tx.db, reply, tx.now())) return undefined
    return { kind: 'failed', code: null, message: 'Another attempt was made meanwhile.' }
  })
}

/** Tried again when the database is away for a moment: what was sent must be known. */
export async function settleReply(
  ctx: Context,
  attempt: queries.ReplyAttempt,
  outcome: ReplyOutcome,
): Promise<queries.ShownReply> {
  for (let left = settlesMax; ; left--) {
    try {
      await transaction(ctx, (tx) => settle(tx, attempt, outcome))
      const stored = await queries.findReply(ctx.db, attempt.workspace_id, attempt.idempotency_key)
      if (stored) return queries.shown(stored)
      throw new Error('a reply is gone')
    } catch (error) {
      if (left <= 0) throw error
      ctx.log.warn(describeError(error), 'the result of a reply is recorded later')
      await ctx.sleep(settlePauseMs)
    }
  }
}

const settlesMax = 5
const settlePauseMs = 1_000

/** What nobody works on any more: nothing of it was sent, or nobody knows. */
export const giveUp = (ctx: Context, reply: queries.StoredReply) =>
  transaction(ctx, async (tx) => {
    if (!isAbandoned(tx, reply)) return
    const isSafe = reply.state === 'claimed'
    const what = isSafe ? 'before it was sent' : 'before the mail server answered'
    const message = `The process that was sending it ended ${what}.`
    await settle(tx, reply, { kind: isSafe ? 'failed' : 'uncertain', code: null, message })
  })

/** Written by row, from the states that the outcome can follow on. */
export async function settle(tx: Context, attempt: queries.ReplyAttempt, outcome: ReplyOutcome) {
  const row = await queries.updateSettled(tx.db, attempt, from[outcome.kind], outcome, tx.now())
  if (!row || outcome.kind === 'failed') return
  const { workspace_id, id, mailbox_id, thread_id, campaign_id } = row
  const known = { workspace_id, id, mailbox_id, campaign_id, lead_id: thread_id }
  // An answer to it may be all that is ever heard of it.
  if (outcome.kind === 'uncertain') {
    await addMessageIds(tx.db, [{ ...known, known_as: row.message_id }])
    return
  }
  const mail = makeMail(row, { address: row.from_address, display_name: null }, tx.now())
  await insertMessages(tx.db, [
    {
      ...known,
      ...{ direction: 'out', kind: 'manual', step_id: null, step: null, variant: null },
      ...{ thread_id, message_id: row.message_id, in_reply_to: row.in_reply_to || null },
      ...{ from_address: row.from_address, to_addresses: [row.to_address] },
      ...{ subject: mail.subject, text: mail.text, size_bytes: mail.sizeBytes },
      html: mail.html === null ? null : safeHtml(mail.html),
      timestamp: row.timestamp_transmitting ?? tx.now(),
    },
  ])
  await answerThread(
    tx.db,
    workspace_id,
    thread_id,
    id,
    snippetOf({ text: mail.text, to: [], subject: '' }),
    tx.now(),
  )
}

const from: Record<ReplyOutcome['kind'], string[]> = {
  sent: ['transmitting', 'uncertain'],
  uncertain: ['transmitting'],
  failed: ['claimed', 'transmitting', 'uncertain'],
}

const isOpen = ({ state }: queries.StoredReply) => state === 'claimed' || state === 'transmitting'

const isAbandoned = (ctx: Context, reply: queries.StoredReply) =>
  (reply.timestamp_transmitting ?? reply.timestamp_claimed) < abandonedBefore(ctx)

async function whySuppressed(tx: Context, reply: queries.ReplyDraft & { is_forced: boolean }) {
  const address = parseEmail(reply.to_address)?.folded
  if (reply.is_forced || address === undefined) return undefined
  return (await findSuppressed(tx.db, reply.workspace_id, [address])).get(address)
}

const suppressed = (reason: SuppressionReason) =>
  new AppError(
    'not_eligible',
    `Nothing is sent to this address: ${why[reason]}. Force it only if its owner asks for an answer.`,
  )

const why: Record<SuppressionReason, string> = {
  unsubscribed: 'it unsubscribed',
  bounced: 'its mail came back for good',
  blocked: 'it is on the list of suppressed addresses and domains',
}

const inProgress = () =>
  new AppError(
    'idempotency_key_in_progress',
    'This reply is just being sent: look again in a moment.',
  )
