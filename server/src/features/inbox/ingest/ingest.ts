import type { Context } from '../../../kernel/context.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { recordActivities } from '../../leads/index.ts'
import { countReturnedBounces, markArrived } from '../../sending/index.ts'
import { readWish, tokenBoxOf, unsubscribe } from '../../tracking/index.ts'
import { findLasting } from '../bounces/soft-bounces.ts'
import type { ReadMailbox, ReadTo } from '../mailbox.ts'
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
  mailbox: ReadMailbox,
  mails: InboundMessage[],
  readTo: ReadTo,
): Promise<number> {
  const wishes = await carryOutWishes(ctx, mailbox, mails)
  const foreign = mails.filter(
    (mail) =>
      !wishes.has(mail) &&
      mail.inbound.kind !== 'notice' &&
      !isOwn(mail.message.from?.address, mailbox),
  )
  const matches = await matchInbound(ctx, mailbox, foreign)
  const matched = foreign.flatMap((mail, at) =>
    (matches[at] ?? []).map((match) => ({ mail, match })),
  )
  return transaction(ctx, async (tx) => {
    const claimed = await claimMatched(tx, mailbox, matched)
    if (claimed.length > 0) await act(tx, mailbox, claimed)
    await saveCheckpoint(tx.db, mailbox, readTo, tx.now())
    return new Set(claimed.map(({ mail }) => mail)).size
  })
}

/**
 * Mails that the `List-Unsubscribe` of ours asked for: whoever writes one has the token of the mail,
 * which unsubscribes. Before the folder is noted as read, because again it changes nothing.
 */
async function carryOutWishes(
  ctx: Context,
  { workspace_id }: ReadMailbox,
  mails: InboundMessage[],
): Promise<Set<InboundMessage>> {
  const tokens = tokenBoxOf(ctx)
  const wishes = new Set<InboundMessage>()
  for (const mail of mails) {
    const { message, inbound } = mail
    if (inbound.kind === 'bounce' || inbound.kind === 'complaint') continue
    const token = readWish(tokens, [message.subject, message.text])
    if (token?.workspaceId !== workspace_id) continue
    await unsubscribe(ctx, token)
    wishes.add(mail)
  }
  return wishes
}

const isOwn = (address: string | undefined, mailbox: ReadMailbox) =>
  address?.toLowerCase() === mailbox.address.toLowerCase()

async function act(tx: Context, mailbox: ReadMailbox, claimed: MatchedMessage[]) {
  const { workspace_id } = mailbox
  const answered = claimed.flatMap(({ match }) => match.sentId ?? [])
  await markArrived(tx, workspace_id, answered)
  await storeMatched(tx, mailbox, claimed)
  const lasting = await findLasting(tx, workspace_id, claimed)
  const activities = claimed.flatMap((each) => activitiesOf(each, lasting))
  if (activities.length > 0) await recordActivities(tx, workspace_id, activities)
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
