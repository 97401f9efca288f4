import type { Context } from '../../../kernel/context.ts'
import { column } from '../../../kernel/db/column.ts'
import { parseEmail } from '../../../kernel/email.ts'
import type { EventMessage } from '../../leads/index.ts'
import { findMailboxesByAddress, findRemovedByAddress } from '../../mailboxes/index.ts'
import { removeMessageIds } from '../../messages/index.ts'
import { reportedBounce } from '../bounces/reported-bounce.ts'
import type { Bounce } from '../classify/bounce.ts'
import type { Inbound } from '../classify/classify.ts'
import type { InboxMailbox } from '../inbox-mailbox.ts'
import type { InboundMessage } from '../ingest/inbound-message.ts'
import { type Claimed, claim, type Matched } from './claim.ts'
import type { Match } from './match.ts'
import * as queries from './matched-message-queries.ts'

/** A mail and one lead that it is about. */
export interface MatchedMessage {
  /** Id of its row in messages. */
  id: string
  mail: InboundMessage
  match: Match
  /** Its kind for this lead; `colleague`: one of ours writes in the conversation. */
  kind: Inbound['kind'] | 'colleague'
  /** The mail cites one of ours: whatever is final follows from nothing else. */
  isProven: boolean
  /** A person or a machine wrote it from the lead's own address. */
  isFromLead: boolean
  /** Another lead wrote it, which it is about as well: they answer a mail that was passed on to them. */
  isFromAnotherLead: boolean
  /** When it came in, by its server's clock, and never in the future. */
  arrivedAt: Date
  /** The bounce that a report tells of this lead. */
  bounce: Bounce | undefined
  /** What came back is an answer that a person wrote here. */
  isOfAnswer: boolean
  lead: Correspondent
  /** The mail of a campaign that it answers, or the last one; null: none is known any more. */
  sent: queries.SentMail | null
  /** The mail as events tell of it. */
  event: EventMessage
}

/** The lead that a mail is about. */
interface Correspondent extends Omit<queries.CorrespondentRow, 'cc_list' | 'bcc_list'> {
  /** Folded addresses of those who get copies of what it is sent. */
  copied: string[]
}

/**
 * The matched mails that nobody has dealt with, each claimed for this transaction. Who turns out to be no
 * answer leaves no trace.
 */
export async function claimMatched(
  tx: Context,
  mailbox: InboxMailbox,
  matched: Matched[],
): Promise<MatchedMessage[]> {
  const answers = await claim(tx, mailbox, matched)
  if (answers.length === 0) return []
  const { workspace_id } = mailbox
  const { leads, sentTo } = await readCorrespondents(tx, workspace_id, answers)
  const fromOthers = await findSenders(tx, workspace_id, answers, leads)
  const passedOn = new Set(fromOthers.map(({ mail }) => mail))
  if (fromOthers.length > 0) {
    const others = await readCorrespondents(tx, workspace_id, fromOthers)
    for (const [id, lead] of others.leads) leads.set(id, lead)
    for (const [id, mails] of others.sentTo) sentTo.set(id, mails)
  }
  const claimed = [...answers, ...fromOthers]
  const colleagues = await findColleagues(tx, workspace_id, claimed, leads)
  const cameBack = await findBouncedReplies(tx, workspace_id, claimed)
  const kept = claimed.flatMap(({ id, mail, match }): MatchedMessage[] => {
    const lead = leads.get(match.leadId)
    const mails = sentTo.get(match.leadId) ?? []
    if (!lead) return []
    const sent = mails.find((each) => each.id === match.sentId) ?? mails.at(-1) ?? null
    const { inbound } = mail
    const isProven = match.sentId !== null
    const sender = senderOf(mail)
    const bounce = reportedBounce(inbound, lead, isProven)
    const isColleague = lead.copied.includes(sender ?? '') || colleagues.has(sender ?? '')
    return [
      {
        ...{ id, mail, match, lead, sent, isProven },
        kind: sender !== lead.email_folded && isColleague ? 'colleague' : inbound.kind,
        isFromLead: sender === lead.email_folded,
        isFromAnotherLead: sender !== lead.email_folded && passedOn.has(mail),
        arrivedAt: new Date(Math.min(mail.receivedAt.getTime(), tx.now().getTime())),
        ...{ bounce, isOfAnswer: bounce?.isDelay === false && cameBack.has(match.sentId ?? '') },
        event: {
          message_id: sent?.message_id ?? '',
          subject: sent?.subject ?? '',
          step: sent?.step ?? 1,
          variant: sent?.variant ?? 1,
          mailbox: sent?.mailbox ?? lead.last_contacted_from ?? mailbox.address,
        },
      },
    ]
  })
  const keptMails = new Set(kept.map(({ mail }) => mail))
  const left = claimed.filter(({ mail }) => !keptMails.has(mail))
  if (left.length > 0) {
    await removeMessageIds(tx.db, workspace_id, [...new Set(left.map(({ alias }) => alias))])
  }
  return kept
}

/** Which of the mails that bounced are replies that people wrote. */
async function findBouncedReplies({ db }: Context, workspaceId: string, claimed: Claimed[]) {
  const reports = claimed.flatMap(({ mail, match: { leadId, sentId } }) =>
    mail.inbound.kind === 'bounce' && sentId !== null ? [{ leadId, sentId }] : [],
  )
  if (reports.length === 0) return new Set<string>()
  return queries.findAnswers(db, workspaceId, column(reports, 'leadId'), column(reports, 'sentId'))
}

async function readCorrespondents(tx: Context, workspaceId: string, claimed: Claimed[]) {
  const ids = [...new Set(claimed.map(({ match }) => match.leadId))]
  const rows = await queries.findCorrespondents(tx.db, workspaceId, ids)
  const sends = await queries.findSentMails(tx.db, workspaceId, ids)
  return {
    leads: new Map(rows.map((row) => [row.id, correspondentOf(row)])),
    sentTo: Map.groupBy(sends, ({ lead_id }) => lead_id),
  }
}

/**
 * The answers in the conversation of a lead whose sender is another lead, by whichever mailbox: a mail that
 * was passed on is answered by whoever got it, and nobody is written to who has answered.
 */
async function findSenders(
  tx: Context,
  workspaceId: string,
  answers: Claimed[],
  leads: Map<string, Correspondent>,
): Promise<Claimed[]> {
  const passedOn = answers.flatMap((answer) => {
    const { mail, match } = answer
    const lead = leads.get(match.leadId)
    const sender = senderOf(mail)
    if (mail.inbound.kind !== 'reply' || match.by !== 'message_id' || !lead || !sender) return []
    return sender === lead.email_folded || lead.copied.includes(sender) ? [] : [{ answer, sender }]
  })
  if (passedOn.length === 0) return []
  const senders = [...new Set(passedOn.map(({ sender }) => sender))]
  const found = await queries.findConcerned(tx.db, workspaceId, senders)
  const byAddress = Map.groupBy(found, ({ email_folded }) => email_folded)
  return passedOn.flatMap(({ answer: { mail, alias }, sender }) =>
    (byAddress.get(sender) ?? []).map(({ lead_id }): Claimed => {
      // What it cites was sent to somebody else: it does not prove whose address it comes from.
      const match: Match = { leadId: lead_id, by: 'address', sentId: null }
      return { mail, alias, match, id: tx.newId() }
    }),
  )
}

/** Folded; null of a report: what stands there as its sender is a server's. */
const senderOf = ({ inbound, message }: InboundMessage) =>
  inbound.kind === 'reply' || inbound.kind === 'auto_reply'
    ? (parseEmail(message.from?.address ?? '')?.folded ?? null)
    : null

/**
 * The senders that are mailboxes of the workspace, or were: whose mailbox was removed may go on writing in
 * its conversations. The usual sender is the lead.
 */
async function findColleagues(
  tx: Context,
  workspaceId: string,
  matched: Matched[],
  leads: Map<string, Correspondent>,
): Promise<Set<string>> {
  const others = matched.flatMap(({ mail, match }) => {
    const sender = senderOf(mail)
    return sender && sender !== leads.get(match.leadId)?.email_folded ? [sender] : []
  })
  if (others.length === 0) return new Set()
  const mailboxes = await findMailboxesByAddress(tx.db, workspaceId, others)
  const removed = await findRemovedByAddress(tx.db, workspaceId, others)
  return new Set([...mailboxes, ...removed].map(({ address_folded }) => address_folded))
}

const correspondentOf = ({
  cc_list,
  bcc_list,
  ...row
}: queries.CorrespondentRow): Correspondent => ({
  ...row,
  copied: [...cc_list, ...bcc_list].flatMap((address) => parseEmail(address)?.folded ?? []),
})
