import type { EventMessage, LeadActivity } from '../leads/index.ts'
import type { Bounce } from './classify/bounce.ts'
import { safeHtml } from './classify/html.ts'
import { snippetOf, visibleText } from './classify/visible-text.ts'
import type { Incoming } from './incoming.ts'

/** What is known of the lead that a mail is about. */
export interface Correspondent {
  id: string
  campaign_id: string
  email_folded: string
  /** Of its campaign's first schedule. */
  timezone: string
  /** Reports in a row that the lead could not be reached for the moment. */
  softBounces: number
  /** The mail of ours that it answers, or the last one. */
  message: EventMessage
}

/** A passing trouble that does not pass is one that lasts. */
const softBouncesMax = 5

/** What a mail means for a lead, as far as the sender is concerned. */
export function activitiesOf(
  { message, inbound }: Incoming,
  lead: Correspondent,
  { unsubscribesByReply }: { unsubscribesByReply: boolean },
): LeadActivity[] {
  const about = { leadId: lead.id, message: lead.message }
  if (inbound.kind === 'complaint') return [{ kind: 'unsubscribed', leadId: lead.id }]
  if (inbound.kind === 'bounce') {
    const bounce = bounceFor(inbound.bounces, lead)
    return bounce ? [{ kind: 'bounced', ...about, bounce }] : []
  }
  const text = visibleText(message.text)
  const reply = {
    message_id: message.messageId,
    subject: message.subject,
    text,
    html: message.html === null ? null : safeHtml(message.html),
    snippet: snippetOf(text),
  }
  if (inbound.kind === 'reply') {
    const replied: LeadActivity = { kind: 'replied', ...about, reply }
    return inbound.asksToUnsubscribe && unsubscribesByReply
      ? [replied, { kind: 'unsubscribed', leadId: lead.id }]
      : [replied]
  }
  const { isOutOfOffice, returnsOn } = inbound
  const resumeAt = returnsOn
    ? new Date(returnsOn.toZonedDateTime(lead.timezone).epochMilliseconds)
    : null
  return [{ kind: 'auto_replied', ...about, reply, isOutOfOffice, resumeAt }]
}

/** The campaign of each mail that came back for good. */
export function hardBouncesOf(activities: LeadActivity[], leads: Correspondent[]): string[] {
  const campaigns = new Map(leads.map(({ id, campaign_id }) => [id, campaign_id]))
  return activities.flatMap((activity) =>
    activity.kind === 'bounced' && activity.bounce.kind === 'hard'
      ? (campaigns.get(activity.leadId) ?? [])
      : [],
  )
}

/** A report may be about several people; one that names nobody is about the one that it belongs to. */
export function bounceFor(
  bounces: Bounce[],
  lead: Pick<Correspondent, 'email_folded' | 'softBounces'>,
) {
  const own =
    bounces.find(({ recipient }) => recipient === lead.email_folded) ??
    bounces.find(({ recipient }) => recipient === null) ??
    (bounces.length === 1 ? bounces[0] : undefined)
  if (!own) return undefined
  const isLasting = own.kind === 'soft' && lead.softBounces + 1 >= softBouncesMax
  return {
    kind: isLasting ? ('hard' as const) : own.kind,
    code: own.code,
    diagnostic: own.diagnostic,
  }
}
