import type { Context } from '../../../kernel/context.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { recordActivities } from '../../leads/index.ts'
import { moveThreads } from '../../messages/index.ts'
import { countReturnedBounces, markArrived } from '../../sending/index.ts'
import { readUnsubscribeToken, tokenBoxOf, unsubscribe } from '../../tracking/index.ts'
import { findRepeatedSoftBounces } from '../bounces/soft-bounces.ts'
import { baseSubject } from '../classify/subject.ts'
import type { CheckpointPosition, InboxMailbox } from '../inbox-mailbox.ts'
import { claimUnsubscribe } from '../matching/claim.ts'
import { matchInbound } from '../matching/match.ts'
import { claimMatched, type MatchedMessage } from '../matching/matched-messages.ts'
import { saveCheckpoint } from '../reading/folder-queries.ts'
import { activitiesOf } from './effects.ts'
import type { InboundMessage } from './inbound-message.ts'
import { storeMatched } from './store.ts'

/**
 * Keeps what belongs to a conversation of ours, does what follows from it and notes how far the
 * folder was read, all in one transaction: read again after a crash, in another folder, or under new
 * UIDs, a mail has no second effect. A mail that belongs to no conversation leaves no trace.
 *
 * Message-IDs are claimed first, then sends, leads and what hangs on them are locked as everywhere.
 *
 * @returns how many mails belonged to a conversation and were new
 */
export async function ingest(
  ctx: Context,
  mailbox: InboxMailbox,
  mails: InboundMessage[],
  position: CheckpointPosition,
): Promise<number> {
  const foreign = mails.filter(({ message }) => !isOwn(message.from?.address, mailbox))
  const unsubscribed = await unsubscribeByToken(ctx, mailbox, foreign)
  const relevant = foreign.filter(
    (mail) => !unsubscribed.has(mail) && mail.inbound.kind !== 'notice',
  )
  const matches = await matchInbound(ctx, mailbox, relevant)
  const matched = relevant.flatMap((mail, at) =>
    (matches[at] ?? []).map((match) => ({ mail, match })),
  )
  return transaction(ctx, async (tx) => {
    const claimed = await claimMatched(tx, mailbox, matched)
    if (claimed.length > 0) await act(tx, mailbox, claimed)
    await saveCheckpoint(tx.db, mailbox, position)
    return new Set(claimed.map(({ mail }) => mail)).size
  })
}

/**
 * Mails that the `List-Unsubscribe` of ours asked for: whoever writes one has the token of the mail,
 * which unsubscribes. Each does once, so that a copy that is read later takes nothing back that a person
 * has decided since.
 *
 * @returns those that say nothing else; in an answer among them somebody writes, too
 */
async function unsubscribeByToken(
  ctx: Context,
  mailbox: InboxMailbox,
  mails: InboundMessage[],
): Promise<Set<InboundMessage>> {
  const tokens = tokenBoxOf(ctx)
  const unsubscribed = new Set<InboundMessage>()
  for (const mail of mails) {
    const { message, inbound } = mail
    if (inbound.kind === 'bounce' || inbound.kind === 'complaint') continue
    const token = readUnsubscribeToken(tokens, [message.subject, message.text])
    if (token?.workspaceId !== mailbox.workspace_id) continue
    await transaction(ctx, async (tx) => {
      if (await claimUnsubscribe(tx, mailbox, mail, token.text)) await unsubscribe(tx, token)
    })
    // A mail program that unsubscribes by itself begins a conversation, with words of its own.
    const isAnswer =
      message.inReplyTo.length > 0 || baseSubject(message.subject) !== message.subject
    if (!isAnswer || mail.text.trim() === '') unsubscribed.add(mail)
  }
  return unsubscribed
}

const isOwn = (address: string | undefined, mailbox: InboxMailbox) =>
  address?.toLowerCase() === mailbox.address.toLowerCase()

async function act(tx: Context, mailbox: InboxMailbox, claimed: MatchedMessage[]) {
  const { workspace_id } = mailbox
  const answered = claimed.flatMap(({ match }) => match.sentId ?? [])
  await markArrived(tx, workspace_id, answered)
  await storeMatched(tx, mailbox, claimed)
  const repeated = await findRepeatedSoftBounces(tx, workspace_id, claimed)
  const activities = claimed.flatMap((each) => activitiesOf(each, repeated))
  if (activities.length > 0) {
    const locked = await recordActivities(tx, workspace_id, activities)
    for (const { lead } of claimed) {
      // Handed over since it was read: a conversation that begins here was not seen by that.
      const mailboxId = locked.get(lead.id)?.mailbox_id
      if (!mailboxId || mailboxId === lead.mailbox_id) continue
      await moveThreads(tx.db, workspace_id, [lead.id], mailboxId)
    }
  }
  const hard = new Set(
    activities.flatMap((activity) =>
      activity.kind === 'bounced' && activity.bounce.kind === 'hard' ? [activity.leadId] : [],
    ),
  )
  const leads = new Map(claimed.map(({ lead }) => [lead.id, lead]))
  const newly = [...leads.values()].filter(
    ({ id, stop_reason }) => hard.has(id) && stop_reason !== 'bounced',
  )
  await countReturnedBounces(
    tx,
    workspace_id,
    newly.map(({ campaign_id }) => campaign_id),
  )
}
