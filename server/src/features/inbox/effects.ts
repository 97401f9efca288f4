import type { LeadActivity } from '../leads/index.ts'
import type { Letter } from './letters.ts'

export interface EffectSettings {
  /** A reply that is nothing but the wish for it unsubscribes by itself. */
  unsubscribesByReply: boolean
  /** Letters that say for the last of too many times that somebody cannot be reached for the moment. */
  lasting: Set<Letter>
}

/**
 * What a letter means for its lead, as far as the sender is concerned. Nothing that is final follows
 * from one that cites no mail of ours: its sender, and whom it names, may be made up.
 */
export function activitiesOf(letter: Letter, settings: EffectSettings): LeadActivity[] {
  const { lead, html, text, snippet, kind, isProven, arrivedAt: at } = letter
  const { message, inbound } = letter.mail
  if (kind === 'colleague' || inbound.kind === 'notice') return []
  const about = { leadId: lead.id, message: letter.event, at }
  const unsubscribed: LeadActivity = { kind: 'unsubscribed', leadId: lead.id }
  if (inbound.kind === 'complaint') return isProven ? [unsubscribed] : []
  if (inbound.kind === 'bounce') return bouncesOf(letter, settings)
  const reply = { message_id: message.messageId, subject: message.subject, text, html, snippet }
  if (inbound.kind === 'reply') {
    const provesAddress = isProven && letter.isFromLead
    const replied: LeadActivity = { kind: 'replied', ...about, reply, provesAddress }
    return inbound.wish === 'plain' && settings.unsubscribesByReply && isProven
      ? [replied, unsubscribed]
      : [replied]
  }
  const { isOutOfOffice, returnsOn } = inbound
  const resumeAt = returnsOn
    ? new Date(returnsOn.toZonedDateTime(lead.timezone).epochMilliseconds)
    : null
  return [{ kind: 'auto_replied', ...about, reply, isOutOfOffice, resumeAt }]
}

/** That a mail is late is told to nobody. A passing trouble that does not pass is one that lasts. */
function bouncesOf(letter: Letter, { lasting }: EffectSettings): LeadActivity[] {
  const { lead, event: message, arrivedAt: at, bounce } = letter
  if (!bounce || bounce.isDelay) return []
  const { code, diagnostic } = bounce
  const kind = lasting.has(letter) ? 'hard' : bounce.kind
  return [{ kind: 'bounced', leadId: lead.id, message, at, bounce: { kind, code, diagnostic } }]
}
