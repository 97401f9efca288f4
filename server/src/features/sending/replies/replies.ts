import type { Context, ProcessContext } from '../../../kernel/context.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { parseEmail } from '../../../kernel/email.ts'
import { AppError } from '../../../kernel/errors.ts'
import { countRunners } from '../../../kernel/runner/lease-queries.ts'
import { type ChangedBy, recordAudit } from '../../audit/index.ts'
import { tellPages } from '../../live/index.ts'
import { leaseKind, wakeMailboxes } from '../../mailbox-lanes/index.ts'
import { findMailboxes, type Mailbox } from '../../mailboxes/index.ts'
import { findFirstKept } from '../../messages/index.ts'
import { findSuppressed, type SuppressionReason } from '../../suppression/index.ts'
import { withdrawUnclaimed } from '../cross-workspace.ts'
import { claimedWithinMs } from '../ledger.ts'
import type { SendError } from '../transmit/outcome.ts'
import * as queries from './reply-queries.ts'

/** A mail server may take ten minutes for its last answer (RFC 5321 §4.5.3.2.6). */
const settledWithinMs = 900_000
const lookEveryMs = 100

/**
 * Puts a person's reply into the ledger, where the runner that sends from its mailbox takes it before
 * any mail of a campaign, and waits for what becomes of it. The next attempt at one that failed is
 * made by the same key.
 *
 * @throws AppError when no service runs that could send it, when it is being sent, or when it goes to an
 *   address that nothing is sent to
 */
export async function sendReply(
  ctx: Context,
  workspaceId: string,
  row: Queued,
  { by, mayGo }: SendReplyOptions = {},
): Promise<queries.ReplyRow> {
  await transaction(ctx, async (tx) => {
    await checkReply(tx, workspaceId, row.reply)
    const id = await queueReply(tx, workspaceId, row, mayGo)
    if (!by) return
    await recordAudit(tx, {
      ...{ workspaceId, ...by, action: 'thread.answered' },
      ...{ subjectType: 'thread', subjectId: row.lead_id },
      details: { send_id: id, is_forced: row.reply.is_forced },
    })
  })
  return settledReply(ctx, workspaceId, row.reply.idempotency_key)
}

interface SendReplyOptions {
  by?: ChangedBy | undefined
  /** Throws where it must not go out after all: asked once it is in the ledger, in the same transaction. */
  mayGo?: ((tx: Context) => Promise<void>) | undefined
}

type Queued = Omit<queries.NewReplyRow, 'workspace_id' | 'id'>

/** Before the ledger is locked: whether it may go out, and somebody is there to send it. */
export async function checkReply(tx: Context, workspaceId: string, reply: queries.ReplyContent) {
  const refused = await refusalOf(tx, workspaceId, reply)
  if (refused) throw new AppError('not_eligible', refused.message)
  if ((await countRunners(tx.db, leaseKind, tx.config.leaseMs)) === 0) throw noService()
}

/** @returns the id of the attempt, which the runner of the mailbox makes */
export async function queueReply(
  tx: Context,
  workspaceId: string,
  row: Queued,
  mayGo?: SendReplyOptions['mayGo'],
): Promise<string> {
  const attempt = { ...row, workspace_id: workspaceId, id: tx.newId() }
  const isOurs =
    (await queries.insertReply(tx.db, attempt, tx.now())) ||
    (await queries.retakeReply(tx.db, attempt, tx.now()))
  if (!isOurs) throw inProgress()
  // Conversations are locked behind sends and before lanes, as where mails are settled.
  await mayGo?.(tx)
  await wakeMailboxes(tx, workspaceId, [row.mailbox_id])
  return attempt.id
}

/** What became of it, as soon as that is known. */
async function settledReply(ctx: Context, workspaceId: string, key: string) {
  const startedMs = ctx.monotonicMs()
  for (;;) {
    const row = await queries.findReply(ctx.db, workspaceId, key)
    if (!row) throw new Error('A reply is gone from the ledger.')
    const waitedMs = ctx.monotonicMs() - startedMs
    if (!isOpen(row) || waitedMs > settledWithinMs) return row
    if (row.state === 'waiting' && waitedMs > claimedWithinMs) {
      await queries.withdrawReply(ctx.db, row, notTaken, ctx.now())
      tellPages(ctx, workspaceId, ['inbox'])
    } else await ctx.sleep(lookEveryMs)
  }
}

/** What nobody waits for, or whose process has ended, is withdrawn as well. */
export async function withdrawReplies(ctx: ProcessContext): Promise<void> {
  const rows = await withdrawUnclaimed(ctx.db, ctx.now(), notTaken.stage, notTaken.message)
  for (const { workspace_id } of rows) tellPages(ctx, workspace_id, ['inbox'])
}

/** Somebody sends it, or will. */
export const isOpen = ({ state }: queries.ReplyRow) =>
  state === 'waiting' || state === 'claimed' || state === 'transmitting'

export const inProgress = () =>
  new AppError(
    'idempotency_key_in_progress',
    'This reply is just being sent: look again in a moment.',
  )

const noService = () =>
  new AppError(
    'unavailable',
    'Nothing was sent: the service that sends mails is not running. Start it (npm start, or npx outrider runner), then answer again.',
  )

const notTaken: SendError = {
  stage: 'claim',
  code: null,
  message:
    'Nothing has sent it within half a minute: the service holds back or has just ended, or the mail server hangs (npx outrider doctor says more).',
}

export async function getReplyMailbox(
  ctx: Context,
  workspaceId: string,
  id: string,
): Promise<Mailbox> {
  const [mailbox] = await findMailboxes(ctx.db, workspaceId, [id])
  if (mailbox && mailbox.status !== 'paused') return mailbox
  throw new AppError(
    'not_eligible',
    mailbox
      ? 'The mailbox of this conversation is paused: resume it first.'
      : 'The mailbox of this conversation was removed: nothing can be sent from it.',
  )
}

/** Why nothing is sent to its address. The caller holds the suppression list for its transaction. */
export async function refusalOf(
  tx: Context,
  workspaceId: string,
  { to_address, is_forced }: Pick<queries.ReplyContent, 'to_address' | 'is_forced'>,
): Promise<SendError | undefined> {
  const address = parseEmail(to_address)?.folded
  if (is_forced || address === undefined) return undefined
  const reason = (await findSuppressed(tx.db, workspaceId, [address])).get(address)
  const message = `Nothing is sent to this address: ${reason && why[reason]}. Force it only if its owner asks for an answer.`
  return reason && { stage: 'claim', code: null, message }
}

/** Why a reply would be refused, to be told before a person writes it. */
export const findReplyRefusal = async (
  ctx: Context,
  workspaceId: string,
  toAddress: string,
): Promise<string | undefined> =>
  (await refusalOf(ctx, workspaceId, { to_address: toAddress, is_forced: false }))?.message

const why: Record<SuppressionReason, string> = {
  unsubscribed: 'it unsubscribed',
  bounced: 'its mail came back for good',
  blocked: 'it is on the list of suppressed addresses and domains',
}

const clearedAtOnce = 1000

/** Upkeep: what was written in answers whose mails retention has dropped. */
export async function forgetDroppedReplies(ctx: Context, workspaceId: string): Promise<void> {
  const firstId = await findFirstKept(ctx)
  if (firstId === undefined) return
  while (
    (await queries.clearReplies(ctx.db, workspaceId, firstId, clearedAtOnce)) === clearedAtOnce
  );
}
