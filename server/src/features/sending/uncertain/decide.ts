import type { Context } from '../../../kernel/context.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { AppError, notFound } from '../../../kernel/errors.ts'
import { type AuditAction, type ChangedBy, recordAudit } from '../../audit/index.ts'
import { holdSteps, nextStep } from '../../campaigns/index.ts'
import { findLeadById, lockAgainstClaims, whyNeverSent, whyNotSent } from '../../leads/index.ts'
import type { SendState } from '../ledger.ts'
import { CampaignCache } from '../next-mail/campaign-cache.ts'
import { holdCampaigns } from '../next-mail/campaign-queries.ts'
import { checkReply, getReplyMailbox, queueReply } from '../replies/replies.ts'
import { recordReplies } from '../replies/reply-mail.ts'
import type { ShownSend } from '../sends-queries.ts'
import { settleSends } from '../settle/settle.ts'
import { lockSends } from '../settle/settle-queries.ts'
import { bareSettlement } from '../settle/settlement.ts'
import type { Outcome } from '../transmit/outcome.ts'
import * as queries from './uncertain-queries.ts'

/** Mails of which nobody knows whether they were sent, the oldest. They count as sent. */
export const listUncertain = (
  ctx: Context,
  workspaceId: string,
  limit = 1000,
): Promise<ShownSend[]> => queries.listUncertain(ctx.db, workspaceId, limit)

/** A person knows that an uncertain mail arrived: of a campaign, or an answer. */
export const confirmArrived = (
  ctx: Context,
  workspaceId: string,
  id: string,
  by: ChangedBy,
): Promise<ShownSend> =>
  transaction(ctx, async (tx) => {
    const send = await getUndecided(tx, workspaceId, id)
    await decide(tx, send, { kind: 'sent' }, 'send.arrived', by)
    return shownAs('sent', send)
  })

/** A mail that is sent again, and what keeps it from being sent for now: sentences. */
interface SentAgain extends ShownSend {
  reasons: string[]
}

/**
 * A person takes it that an uncertain mail did not arrive: it is sent again, one of a campaign as soon
 * as that and the mailbox allow, an answer at once. If it did arrive, its lead has it twice, with the
 * same Message-ID.
 */
export const sendAgain = (
  ctx: Context,
  workspaceId: string,
  id: string,
  by: ChangedBy,
): Promise<SentAgain> =>
  transaction(ctx, async (tx) => {
    const send = await lockUndecided(tx, workspaceId, id)
    const { reply } = send
    if (send.is_followed) throw followed()
    if (reply) {
      await getReplyMailbox(tx, workspaceId, send.mailbox_id)
      await checkReply(tx, workspaceId, reply)
    }
    await decide(tx, send, refused, 'send.repeated', by)
    if (!reply) {
      await queries.keepDoubted(tx.db, send)
      return { ...shownAs('failed', send), reasons: await refuseUnsent(tx, send) }
    }
    const attempt = await queueReply(tx, workspaceId, { ...send, reply })
    return { ...shownAs('waiting', send), id: attempt, reasons: [] }
  })

/**
 * Whoever gets nothing any more as the lead stands by now, with this mail taken back, does not get it
 * either: it would be said to be sent again, and lie there.
 *
 * @returns what keeps it from being sent for now
 */
async function refuseUnsent(
  tx: Context,
  { workspace_id, lead_id, campaign_id }: queries.UndecidedSend,
): Promise<string[]> {
  const lead = await findLeadById(tx.db, workspace_id, lead_id)
  const why = lead
    ? await whyNeverSent(tx, lead)
    : ['Nothing is sent to this lead: it was deleted.']
  if (lead && why.length === 0) {
    const { steps } = await holdSteps(tx.db, workspace_id, campaign_id)
    if (nextStep(steps, lead)) return whyNotSent(tx, lead)
    why.push('Nothing more is sent to this lead: its campaign has no step left for it.')
  }
  throw new AppError(
    'invalid_transition',
    `${why.join(' ')} Say that the mail arrived: it counts as sent already.`,
  )
}

const followed = () =>
  new AppError(
    'invalid_transition',
    'A later mail of the campaign went to this lead since, and its sequence does not go back. Say ' +
      'that the mail arrived, or write to the lead in the conversation.',
  )

const refused: Outcome = {
  kind: 'failed',
  error: { stage: 'person', code: null, message: 'A person decided to send it again.' },
  effect: { kind: 'again' },
}

/**
 * An answer to these mails came back, or a bounce: they were sent. Of mails that are not uncertain
 * nothing changes. Before any lead is locked: that is the order of the ledger.
 *
 * @param ids of messages
 */
export async function markArrived(tx: Context, workspaceId: string, ids: string[]) {
  if (ids.length === 0) return
  await recordReplies(tx, await queries.markArrived(tx.db, workspaceId, ids, tx.now()))
}

async function getUndecided(tx: Context, workspaceId: string, id: string) {
  const send = await queries.findUncertainSend(tx.db, workspaceId, id)
  if (!send) throw notFound('uncertain send')
  return send
}

/**
 * As it stands once nothing more is claimed of its campaign, until the transaction ends: its lead may be
 * about to get a later step. Locked in the order of settlements.
 */
async function lockUndecided(tx: Context, workspaceId: string, id: string) {
  const send = await getUndecided(tx, workspaceId, id)
  if (send.reply) return send
  await holdCampaigns(tx.db, [{ workspace_id: workspaceId, id: send.campaign_id }])
  await lockSends(tx.db, [send])
  await lockAgainstClaims(tx, workspaceId, [send.lead_id])
  return getUndecided(tx, workspaceId, id)
}

async function decide(
  tx: Context,
  send: queries.UndecidedSend,
  outcome: Outcome,
  action: AuditAction,
  by: ChangedBy,
) {
  const settlement = bareSettlement(tx, send, outcome)
  const [isSettled] = await settleSends(tx, new CampaignCache(), [settlement])
  if (!isSettled) throw notFound('uncertain send')
  await recordAudit(tx, {
    ...{ ...by, workspaceId: send.workspace_id, action },
    ...{ subjectType: 'send', subjectId: send.id },
    details: { lead_id: send.lead_id, step_id: send.step_id },
  })
}

const shownAs = (
  state: SendState,
  { reply: _, mailbox_id: _mailbox, is_followed: _followed, ...send }: queries.UndecidedSend,
): ShownSend => ({ ...send, state })
