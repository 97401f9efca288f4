import type { EventBounce, LeadActivity } from '../leads/index.ts'
import type { Bounce } from './classify/bounce.ts'
import { snippetOf, visibleText } from './classify/visible-text.ts'
import type { Letter } from './letters.ts'

export interface EffectSettings {
  /** A reply that asks for it unsubscribes by itself. */
  unsubscribesByReply: boolean
  /** Letters that say for the last of too many times that somebody cannot be reached for the moment. */
  lasting: Set<Letter>
}

/** What a letter means for its lead, as far as the sender is concerned. */
export function activitiesOf(letter: Letter, settings: EffectSettings): LeadActivity[] {
  const { lead, html } = letter
  const { message, inbound } = letter.mail
  const about = { leadId: lead.id, message: letter.event }
  if (inbound.kind === 'notice') return []
  if (inbound.kind === 'complaint') return [{ kind: 'unsubscribed', leadId: lead.id }]
  if (inbound.kind === 'bounce') {
    const bounce = eventBounce(letter, settings)
    return bounce ? [{ kind: 'bounced', ...about, bounce }] : []
  }
  const text = visibleText(message.text)
  const { messageId: message_id, subject } = message
  const reply = { message_id, subject, text, html, snippet: snippetOf(text) }
  if (inbound.kind === 'reply') {
    const replied: LeadActivity = { kind: 'replied', ...about, reply }
    return inbound.asksToUnsubscribe && settings.unsubscribesByReply
      ? [replied, { kind: 'unsubscribed', leadId: lead.id }]
      : [replied]
  }
  const { isOutOfOffice, returnsOn } = inbound
  const resumeAt = returnsOn
    ? new Date(returnsOn.toZonedDateTime(lead.timezone).epochMilliseconds)
    : null
  return [{ kind: 'auto_replied', ...about, reply, isOutOfOffice, resumeAt }]
}

/** A passing trouble that does not pass is one that lasts. */
function eventBounce(letter: Letter, { lasting }: EffectSettings): EventBounce | undefined {
  const bounce = bounceOf(letter)
  if (!bounce) return undefined
  const { kind, code, diagnostic } = bounce
  return { kind: lasting.has(letter) ? 'hard' : kind, code, diagnostic }
}

/**
 * What a report says of the lead; nothing where it is about somebody else: of several people, or about
 * a colleague who gets a copy.
 */
export function bounceOf({ mail, match, lead }: Letter): Bounce | undefined {
  if (mail.inbound.kind !== 'bounce') return undefined
  const { bounces } = mail.inbound
  const named = bounces.find(({ recipient }) => recipient === lead.email_folded)
  if (named) return named
  // Where the lead's mail is passed on, the report names whom it was passed on to.
  const [only] = bounces
  if (!only || bounces.length > 1 || match.by !== 'message_id') return undefined
  return lead.copied.includes(only.recipient ?? '') ? undefined : only
}
