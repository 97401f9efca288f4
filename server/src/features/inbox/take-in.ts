import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { recordActivities } from '../leads/index.ts'
import { addMessageIds, insertMessages, type NewMessage } from '../messages/index.ts'
import { countReturnedBounces, markArrived } from '../sending/index.ts'
import { safeHtml } from './classify/html.ts'
import { snippetOf } from './classify/visible-text.ts'
import { activitiesOf, bounceFor, type Correspondent, hardBouncesOf } from './effects.ts'
import type { Incoming } from './incoming.ts'
import { type Match, matchIncoming } from './match.ts'
import * as queries from './queries.ts'
import type { ReadMailbox } from './read-mailbox.ts'

/** Where a folder was read to. */
export interface ReadTo extends queries.Checkpoint {
  folder: string
}

/** A mail and one lead that it is about. */
interface Letter {
  mail: Incoming
  match: Match
  lead: Correspondent
  id: string
}

/**
 * Keeps what belongs to a conversation of ours, does what follows from it and notes how far the
 * folder was read, all in one transaction: read again after a crash, in another folder, or under new
 * UIDs, a mail has no second effect. What belongs to no conversation leaves no trace.
 *
 * @returns how many mails belonged to a conversation and were new
 */
export async function takeIn(
  ctx: Context,
  mailbox: ReadMailbox,
  mails: Incoming[],
  readTo: ReadTo,
): Promise<number> {
  const { workspace_id, id: mailboxId } = mailbox
  const foreign = mails.filter(({ message }) => !isOwn(message.from?.address, mailbox))
  const matches = await matchIncoming(ctx, mailbox, foreign)
  return transaction(ctx, async (tx) => {
    const matched = foreign.flatMap((mail, at) =>
      (matches[at] ?? []).map((match) => ({ mail, match })),
    )
    const letters = await openLetters(tx, mailbox, await claim(tx, mailbox, matched))
    // A mail that is answered, or comes back, was sent.
    await markArrived(tx, workspace_id, letters.flatMap(answeredBy))
    await keep(tx, mailbox, letters)
    const unsubscribesByReply = await queries.findUnsubscribesByReply(tx.db, workspace_id)
    const activities = letters.flatMap(({ mail, lead }) =>
      activitiesOf(mail, lead, { unsubscribesByReply }),
    )
    if (activities.length > 0) await recordActivities(tx, workspace_id, activities)
    const leads = letters.map(({ lead }) => lead)
    await countReturnedBounces(tx, workspace_id, hardBouncesOf(activities, leads))
    const { folder, ...checkpoint } = readTo
    await queries.saveCheckpoint(tx.db, workspace_id, mailboxId, folder, checkpoint, tx.now())
    return new Set(letters.map(({ mail }) => mail)).size
  })
}

const answeredBy = ({ match, lead }: Letter) =>
  match.by === 'message_id' ? lead.message.message_id : []

const isOwn = (address: string | undefined, mailbox: ReadMailbox) =>
  address?.toLowerCase() === mailbox.address.toLowerCase()

type Matched = Pick<Letter, 'mail' | 'match'>

/** Those that nobody has dealt with. */
async function claim(tx: Context, mailbox: ReadMailbox, matched: Matched[]) {
  const ids = new Map<string, string>()
  for (const { mail } of matched) if (!ids.has(mail.identity)) ids.set(mail.identity, tx.newId())
  const first = new Map(matched.toReversed().map(({ mail, match }) => [mail.identity, match]))
  const claimed = await addMessageIds(
    tx.db,
    [...ids].map(([known_as, id]) => ({
      ...{ workspace_id: mailbox.workspace_id, mailbox_id: mailbox.id, id, known_as },
      lead_id: first.get(known_as)?.leadId ?? null,
      campaign_id: null,
    })),
  )
  const taken = new Set<Incoming>()
  const seen = new Set<string>()
  for (const { mail } of matched) {
    if (taken.has(mail) || seen.has(mail.identity) || !claimed.has(mail.identity)) continue
    taken.add(mail)
    seen.add(mail.identity)
  }
  return matched
    .filter(({ mail }) => taken.has(mail))
    .map((each, at, all) => ({
      ...each,
      // A report about several people is a letter to each.
      id:
        all[at - 1]?.mail === each.mail ? tx.newId() : (ids.get(each.mail.identity) ?? tx.newId()),
    }))
}

async function openLetters(
  tx: Context,
  mailbox: ReadMailbox,
  claimed: (Matched & { id: string })[],
): Promise<Letter[]> {
  if (claimed.length === 0) return []
  const leadIds = [...new Set(claimed.map(({ match }) => match.leadId))]
  const sentIds = claimed.flatMap(({ match }) => match.sentId ?? [])
  const { workspace_id } = mailbox
  const rows = await queries.findCorrespondents(tx.db, workspace_id, leadIds)
  const sent = await queries.findSent(tx.db, workspace_id, sentIds, leadIds)
  const byLead = new Map(rows.map((row) => [row.id, row]))
  const byId = new Map(sent.map((row) => [row.id, row]))
  const lastTo = new Map(sent.map((row) => [row.thread_id, row]))
  return claimed.flatMap(({ mail, match, id }) => {
    const row = byLead.get(match.leadId)
    if (!row) return []
    const ours = byId.get(match.sentId ?? '') ?? lastTo.get(match.leadId)
    const lead: Correspondent = {
      ...{ id: row.id, campaign_id: row.campaign_id, email_folded: row.email_folded },
      timezone: row.timezone,
      softBounces: row.soft_bounces,
      message: {
        message_id: ours?.message_id ?? '',
        subject: ours?.subject ?? '',
        step: ours?.step ?? 1,
        variant: ours?.variant ?? 1,
        mailbox: ours?.from_address ?? mailbox.address,
      },
    }
    return [{ mail, match, lead, id }]
  })
}

async function keep(tx: Context, mailbox: ReadMailbox, letters: Letter[]) {
  if (letters.length === 0) return
  await insertMessages(
    tx.db,
    letters.map((letter) => messageOf(letter, mailbox)),
  )
  const threads = new Map(
    letters.map(({ mail, lead, id }): [string, queries.ThreadToWrite] => [
      lead.id,
      {
        ...{ id: lead.id, last_message_id: id, campaign_id: lead.campaign_id },
        kind: mail.inbound.kind,
        from_address: mail.message.from?.address ?? '',
        subject: mail.message.subject,
        snippet: snippetOf(mail.message.text),
        suggestion: asksToUnsubscribe(mail) ? 'unsubscribed' : null,
      },
    ]),
  )
  await queries.upsertThreads(
    tx.db,
    mailbox.workspace_id,
    mailbox.id,
    [...threads.values()],
    tx.now(),
  )
}

const asksToUnsubscribe = ({ inbound }: Incoming) =>
  inbound.kind === 'reply' && inbound.asksToUnsubscribe

function messageOf({ mail, match, lead, id }: Letter, mailbox: ReadMailbox): NewMessage {
  const { message, inbound, identity } = mail
  return {
    workspace_id: mailbox.workspace_id,
    id,
    direction: 'in',
    kind: inbound.kind,
    mailbox_id: mailbox.id,
    campaign_id: lead.campaign_id,
    lead_id: lead.id,
    ...{ step_id: null, step: null, variant: null },
    message_id: identity,
    in_reply_to: message.inReplyTo[0] ?? null,
    thread_id: lead.id,
    from_address: message.from?.address ?? '',
    to_addresses: message.to,
    subject: message.subject,
    text: message.text,
    html: message.html === null ? null : safeHtml(message.html),
    size_bytes: mail.sizeBytes,
    details: {
      matched_by: match.by,
      ...(inbound.kind === 'bounce'
        ? { bounce: bounceFor(inbound.bounces, { ...lead, softBounces: 0 })?.kind ?? null }
        : {}),
      ...(message.attachments.length > 0 ? { attachments: message.attachments } : {}),
    },
    timestamp: mail.receivedAt,
  }
}
