import type { Context } from '../../../kernel/context.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { isNotFound } from '../../../kernel/errors.ts'
import { MailFailure, type SmtpConnection } from '../../../kernel/mail/index.ts'
import { holdLanes } from '../../mailbox-lanes/index.ts'
import { MailRefused } from '../../messages/index.ts'
import { holdSuppressions } from '../../suppression/index.ts'
import type { Lane } from '../lanes/lane.ts'
import type { LaneRow } from '../lanes/lane-queries.ts'
import type { SenderParts } from '../lanes/sender-parts.ts'
import { bareSettlement } from '../settle/settlement.ts'
import { errorOf } from '../transmit/classify-failure.ts'
import { envelopeOf } from '../transmit/draft.ts'
import type { Outcome } from '../transmit/outcome.ts'
import { beginMail } from '../transmit/send-mail.ts'
import { refusalOf } from './replies.ts'
import { composeReplyMail } from './reply-mail.ts'
import * as queries from './reply-queries.ts'

type ReplyParts = Pick<SenderParts, 'connections' | 'settlements' | 'guard'>

/** Then a mail of a campaign has its turn: however much people answer, no mailbox stands still for it. */
export const repliesMax = 8

/**
 * Sends the replies that wait for this mailbox, one after the other: begun, marked in the ledger,
 * finished, settled, as every mail. They count for no limit and wait for no schedule, and what fails
 * says nothing of the mailbox: the person hears of it.
 *
 * @returns how many there were; repliesMax: others may wait
 */
export async function sendWaitingReplies(
  ctx: Context,
  lane: Lane,
  row: LaneRow,
  parts: ReplyParts,
): Promise<number> {
  for (let count = 0; count < repliesMax; count++) {
    const claimed = await claim(ctx, lane, parts.guard.epoch)
    if (!claimed) return count
    const outcome = await send(ctx, lane, row, claimed, parts)
    if (outcome.kind === 'failed') parts.guard.marked.forget(claimed.id)
    await parts.settlements.add(bareSettlement(ctx, claimed, outcome))
  }
  return repliesMax
}

const claim = (ctx: Context, lane: Lane, epoch: number) =>
  transaction(ctx, async (tx) => {
    const { workspaceId, mailboxId, token } = lane
    const held = await holdLanes(tx.db, [
      { workspace_id: workspaceId, mailbox_id: mailboxId, token },
    ])
    if (!held.has(mailboxId)) return undefined
    return queries.claimReply(tx.db, lane, epoch, tx.now())
  })

/** Where the mailbox was changed since it was read, and not paused, the mail is made anew. */
async function send(
  ctx: Context,
  lane: Lane,
  row: LaneRow,
  claimed: queries.ReplyRow,
  parts: ReplyParts,
): Promise<Outcome> {
  let sender: queries.ReplySender = row
  for (;;) {
    const result = await attempt(ctx, lane, sender, claimed, parts)
    if ('kind' in result) return result
    sender = result
  }
}

async function attempt(
  ctx: Context,
  lane: Lane,
  sender: queries.ReplySender,
  claimed: queries.ReplyRow,
  { connections, guard }: ReplyParts,
): Promise<Outcome | queries.ReplySender> {
  let connection: SmtpConnection | undefined
  try {
    const mail = composeReplyMail(claimed, sender.display_name, ctx.now())
    const { workspace_id, mailbox_id } = claimed
    const mailbox = { workspace_id, mailbox_id, mailbox_version: sender.mailbox_version }
    connection = await beginMail(mailbox, envelopeOf(mail), connections)
    const refused = await mark(ctx, claimed, mail.subject, sender)
    if (refused) {
      await connection.close()
      return refused
    }
    const { lead_id, step_id, id, attempt, campaign_id } = claimed
    const key = { workspace_id, lead_id, step_id, id, attempt, campaign_id, mailbox_id }
    guard.marked.add({ ...key, timestamp_marked: ctx.now() })
    await connection.finish(mail.bytes)
    return { kind: 'sent' }
  } catch (error) {
    if (error instanceof MailRefused) {
      return failed({ stage: 'compose', code: null, message: error.message })
    }
    if (!connection && isNotFound(error)) return notSent(removed)
    if (!(error instanceof MailFailure)) {
      await connection?.close()
      throw error
    }
    return error.certain ? failed(errorOf(error)) : { kind: 'uncertain', error: errorOf(error) }
  } finally {
    if (connection) connections.putBack(lane.mailboxId, connection)
  }
}

/** The last look before the end of the message. @returns why it must not be finished, or who it is from now */
const mark = (
  ctx: Context,
  claimed: queries.ReplyRow,
  subject: string,
  sender: queries.ReplySender,
) =>
  transaction(ctx, async (tx): Promise<Outcome | queries.ReplySender | undefined> => {
    await holdSuppressions(tx, claimed.workspace_id)
    const refusal = await refusalOf(tx, claimed.workspace_id, claimed.reply)
    if (refusal) return failed(refusal)
    const { mailbox_version } = sender
    if (await queries.markReply(tx.db, claimed, { subject, mailbox_version }, tx.now())) return
    const changed = await queries.findReplySender(tx.db, claimed)
    if (!changed) return notSent(removed)
    if (changed.status === 'paused') return notSent(paused)
    if (changed.mailbox_version.getTime() !== mailbox_version.getTime()) return changed
    return notSent(notMarked)
  })

const notMarked =
  'Another runner has taken it over, or the database was replaced meanwhile: it was not sent. Send it again.'

const paused = 'Its mailbox was paused meanwhile: resume it, then send it again.'

const removed =
  'Its mailbox was removed meanwhile: connect its address again, or hand its conversations over to another mailbox, then send it again.'

const notSent = (message: string) => failed({ stage: 'claim', code: null, message })

const failed = (error: Extract<Outcome, { kind: 'failed' }>['error']): Outcome => ({
  ...{ kind: 'failed', error, effect: { kind: 'again' } },
})
