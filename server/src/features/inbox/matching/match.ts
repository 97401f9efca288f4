import type { Context } from '../../../kernel/context.ts'
import { dayMs } from '../../../kernel/durations.ts'
import { parseEmail } from '../../../kernel/email.ts'
import { companyOf } from '../../leads/index.ts'
import { findByMessageIds } from '../../messages/index.ts'
import { baseSubject } from '../classify/subject.ts'
import type { InboxMailbox } from '../inbox-mailbox.ts'
import type { InboundMessage } from '../ingest/inbound-message.ts'
import * as queries from './match-queries.ts'

/** The conversation that a mail belongs to, and how sure that is. */
export interface Match {
  leadId: string
  /** Matched by a Message-ID, only by who wrote it to whom, or by a colleague's company and the subject. */
  by: 'message_id' | 'address' | 'subject'
  /**
   * The mail of ours whose Message-ID it cites, which only those know who got that mail. Null: anybody
   * may have written it, so nothing final follows from it.
   */
  sentId: string | null
}

/**
 * Finds the leads behind mails: by the Message-IDs that they refer to; else by the address of the
 * sender, or of the recipient that a report names, where this mailbox wrote to it in the last months,
 * and before the mail came; else, where a campaign stops for a company, by its domain and the subject. What was written to many
 * is nobody's answer unless it refers to the conversation.
 *
 * @returns for each mail its leads: none, or more than one only for a report about several people
 */
export async function matchInbound(
  ctx: Context,
  mailbox: InboxMailbox,
  mails: InboundMessage[],
): Promise<Match[][]> {
  if (mails.length === 0) return []
  const { workspace_id, id } = mailbox
  // First, because what is recorded as sent meanwhile is found by its Message-ID.
  const underWay = await queries.findUnderWay(ctx.db, workspace_id, id)
  const known = await findByMessageIds(
    ctx.db,
    workspace_id,
    mails.flatMap(({ about }) => about),
  )
  const bySent = new Map(underWay.map((sent) => [sent.message_id, sent]))
  const citedBy = (mail: InboundMessage) =>
    mail.about.flatMap((id) => known.get(id) ?? bySent.get(id) ?? [])
  const uncited = mails.filter((mail) => !citedBy(mail).some(({ lead_id }) => lead_id !== null))
  const contacted = await findContacted(ctx, mailbox, uncited)
  const byAddress = Map.groupBy([...contacted, ...underWay], ({ email_folded }) => email_folded)
  const matches = mails.map((mail): Match[] => {
    const cited = citedBy(mail)
    const conversation = cited.find(isOurs) ?? cited.find(({ lead_id }) => lead_id !== null)
    if (conversation?.lead_id) {
      const sentId = isOurs(conversation) ? conversation.id : null
      return [{ leadId: conversation.lead_id, by: 'message_id', sentId }]
    }
    if (isWrittenToMany(mail)) return []
    return addressesIn(mail).flatMap((address): Match[] => {
      const row = byAddress
        .get(address)
        ?.find((each) => isRecent(each.contacted_at, mail) && mayAnswer(each, mail))
      return row ? [{ leadId: row.lead_id, by: 'address', sentId: null }] : []
    })
  })
  const strangers = mails.filter(
    (mail, at) => mail.inbound.kind === 'reply' && !matches[at]?.[0] && !isWrittenToMany(mail),
  )
  const colleagues = await findColleagues(ctx, mailbox, strangers)
  return mails.map((mail, at) => colleagues.get(mail) ?? matches[at] ?? [])
}

type Cited = { lead_id: string | null; campaign_id: string | null }

/** A mail of a lead that has been removed tells nothing of anybody any more. */
const isOurs = ({ lead_id, campaign_id }: Cited) => lead_id !== null && campaign_id !== null

/** A report may well be: it is about the mail of one. */
const isWrittenToMany = ({ isForMany, inbound }: InboundMessage) =>
  isForMany && (inbound.kind === 'reply' || inbound.kind === 'auto_reply')

/** A person who writes later than that begins a conversation of their own. */
const answeredByAddressMs = 90 * dayMs

const isRecent = (contactedAt: Date, { receivedAt }: InboundMessage) =>
  receivedAt.getTime() - contactedAt.getTime() <= answeredByAddressMs

/** A mail is as old as its server says, to the second and by its own clock. */
const clockSlackMs = 600_000

/** Known by nothing but an address, a mail from before the first one of ours is no answer to it. */
const mayAnswer = (
  { first_sent_at }: { first_sent_at: Date | null },
  { receivedAt }: InboundMessage,
) => !first_sent_at || receivedAt.getTime() >= first_sent_at.getTime() - clockSlackMs

async function findContacted(ctx: Context, mailbox: InboxMailbox, mails: InboundMessage[]) {
  const addresses = [...new Set(mails.flatMap(addressesIn))]
  if (addresses.length === 0) return []
  return queries.findContacted(ctx.db, mailbox.workspace_id, mailbox.id, addresses)
}

/** Mail is answered within weeks, or not at all. */
const answeredWithinMs = 30 * dayMs

async function findColleagues(ctx: Context, mailbox: InboxMailbox, mails: InboundMessage[]) {
  const companies = mails.map((mail) => companyOf(addressesIn(mail)[0] ?? ''))
  const asked = [...new Set(companies.filter((company) => company !== null))]
  if (asked.length === 0) return new Map<InboundMessage, Match[]>()
  const since = new Date(ctx.now().getTime() - answeredWithinMs)
  const leads = await queries.findAtCompanies(
    ctx.db,
    mailbox.workspace_id,
    mailbox.id,
    asked,
    since,
  )
  return new Map(
    mails.flatMap((mail, at): [InboundMessage, Match[]][] => {
      const subject = baseSubject(mail.message.subject)
      const lead = leads.find(
        (each) =>
          each.company === companies[at] &&
          baseSubject(each.thread_subject) === subject &&
          mayAnswer(each, mail),
      )
      const isAnswer = subject !== '' && subject !== mail.message.subject
      return lead && isAnswer ? [[mail, [{ leadId: lead.id, by: 'subject', sentId: null }]]] : []
    }),
  )
}

function addressesIn({ message, inbound }: InboundMessage): string[] {
  if (inbound.kind === 'bounce') return inbound.bounces.flatMap(({ recipient }) => recipient ?? [])
  if (inbound.kind === 'complaint') return inbound.recipient === null ? [] : [inbound.recipient]
  const sender = parseEmail(message.from?.address ?? '')
  return sender ? [sender.folded] : []
}
