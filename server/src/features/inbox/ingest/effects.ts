import type { LeadActivity } from '../../leads/index.ts'
import type { MatchedMessage } from '../matching/matched-messages.ts'

/**
 * The changes of a lead that follow from a message. Nothing that is final follows
 * from one that cites no mail of ours: its sender, and whom it names, may be made up.
 *
 * @param repeated reports of the last of too many soft bounces in a row
 */
export function activitiesOf(
  matched: MatchedMessage,
  repeated: Set<MatchedMessage>,
): LeadActivity[] {
  const { lead, kind, isProven, arrivedAt: at } = matched
  const { message, inbound, text, snippet, html } = matched.mail
  if (kind === 'colleague' || inbound.kind === 'notice') return []
  const about = { leadId: lead.id, ...mailOf(matched), at }
  const { leadId, mail } = about
  const unsubscribed: LeadActivity = { kind: 'unsubscribed', leadId, mail, at }
  if (inbound.kind === 'complaint') return isProven ? [unsubscribed] : []
  if (inbound.kind === 'bounce') return bouncesOf(matched, repeated)
  const { messageId: message_id, subject } = message
  const reply = { message_id, subject, text, html: html(), snippet }
  if (inbound.kind === 'reply') {
    const provesAddress = isProven && matched.isFromLead
    const replied: LeadActivity = { kind: 'replied', ...about, reply, provesAddress }
    const isWish = inbound.wish === 'plain' && isProven && !matched.isFromAnotherLead
    return isWish && lead.unsubscribe_by_reply ? [replied, unsubscribed] : [replied]
  }
  const { isOutOfOffice, returnsOn } = inbound
  const resumeAt = returnsOn
    ? new Date(Temporal.PlainDate.from(returnsOn).toZonedDateTime(lead.timezone).epochMilliseconds)
    : null
  return [{ kind: 'auto_replied', ...about, reply, isOutOfOffice, resumeAt }]
}

/** That a mail is late is told to nobody. A passing trouble that does not pass is one that lasts. */
function bouncesOf(matched: MatchedMessage, repeated: Set<MatchedMessage>): LeadActivity[] {
  const { lead, arrivedAt: at, bounce } = matched
  if (!bounce || bounce.isDelay) return []
  const { code, diagnostic } = bounce
  const kind = repeated.has(matched) ? 'hard' : bounce.kind
  const about = { leadId: lead.id, ...mailOf(matched), at }
  return [{ kind: 'bounced', ...about, bounce: { kind, code, diagnostic } }]
}

const mailOf = ({ sent, event: message }: MatchedMessage) => ({
  mail: sent ? { step_id: sent.step_id, variant_id: sent.variant_id } : undefined,
  message,
})
