import type { EventType } from '../../events/catalogue/index.ts'
import { finishesLater } from '../following/next-send.ts'
import { isFinal, isOpen, isSending, type LeadState, type LockedLead } from '../record.ts'
import { planStatusChange } from '../status/plan-status-change.ts'
import type { LeadActivity, MadeOf, SentMail } from './activity.ts'

/** What an activity makes of a lead: only what changes, and what is told of it, in this order. */
export interface ActivityChange {
  patch: Partial<LeadState>
  events: { type: EventType; data: Record<string, unknown>; at?: Date }[]
}

/**
 * The rules of contract §7 for what happens by itself. `status` only moves forward and never over a
 * label; `sending_state` leaves what still sends, and nothing returns to it.
 */
export function planActivity(lead: LockedLead, activity: LeadActivity, now: Date): ActivityChange {
  switch (activity.kind) {
    case 'sent':
      return planSent(lead, activity, now)
    case 'opened':
    case 'clicked':
      return planSeen(lead, activity, now)
    case 'replied':
      return planReply(lead, activity, now)
    case 'auto_replied':
      return planAutoReply(lead, activity, now)
    case 'bounced':
      return planBounce(lead, activity, now)
    case 'finished':
      return isSending(lead.sending_state) ? planDone(lead, now) : { patch: {}, events: [] }
    case 'skipped':
      return planSkip(lead, activity, now)
    case 'unsubscribed':
      return planUnsubscribe(lead)
    case 'erased':
      return planBlock(lead)
  }
}

/** Of an unsubscribe: every lead of the address, also those of other campaigns. */
export function planUnsubscribe(lead: LockedLead): ActivityChange {
  const target = { kind: 'builtin', status: 'unsubscribed' } as const
  const change = planStatusChange(lead, target, { suppressed: true })
  if (change.kind !== 'changed') return { patch: {}, events: [] }
  const { patch, event } = change
  const data = { previous_status: lead.status }
  return { patch, events: event ? [{ type: event, data }] : [] }
}

/** Of a reply: the others of the same company. */
export const planCompanyStop = (lead: LockedLead): ActivityChange => ({
  patch: stopped(lead, 'company_replied'),
  events: [],
})

/** Of a hard bounce: the leads of the same address in other campaigns. Of an erasure: all of them. */
export const planBlock = (lead: LockedLead): ActivityChange => ({
  patch: stopped(lead, 'blocked'),
  events: [],
})

/** Of an answer: the leads that its own was moved on to, or from. It is told and counted once. */
export function planMoved(
  lead: LockedLead,
  activity: Of<'replied'> | Of<'auto_replied'>,
  now: Date,
): ActivityChange {
  const patch =
    activity.kind === 'replied' ? stoppedByReply(lead) : planAutoReply(lead, activity, now).patch
  return { patch, events: [] }
}

type Of<Kind extends LeadActivity['kind']> = Extract<LeadActivity, { kind: Kind }>

/**
 * How long a mail may be taken back: as long as a mail server may take to answer (ten minutes), and what was
 * sending it to write that down. The next mail leaves after that.
 */
export const mayBeTakenBackMs = 15 * 60_000

function planSent(lead: LockedLead, sent: Of<'sent'>, now: Date): ActivityChange {
  const { message, next, at = now } = sent
  const patch: Partial<LeadState> = { ...contacted(lead, sent, now), skip_reason: null }
  if (sent.mayBeTakenBack) {
    const sure = new Date(now.getTime() + mayBeTakenBackMs)
    patch.postponed_until = laterOf(sure, lead.postponed_until)
  }
  const events: ActivityChange['events'] = [{ type: 'email.sent', data: { message }, at }]
  if (!isOpen(lead.sending_state)) return { patch, events }
  const sending_state = lead.sending_state === 'pending' ? 'active' : lead.sending_state
  if (next) {
    const nextSend = laterOf(next.notBefore, patch.postponed_until ?? lead.postponed_until)
    return { patch: { ...patch, sending_state, timestamp_next_send: nextSend }, events }
  }
  const done = planDone({ ...lead, ...patch }, now)
  return { patch: { ...patch, sending_state, ...done.patch }, events: [...events, ...done.events] }
}

/** How far the lead has come with this mail. */
const contacted = (
  lead: LockedLead,
  { at, message, stepId, mailboxId, threadSubject }: SentMail,
  now: Date,
): Partial<LeadState> => ({
  status: advanced(lead.status, 'contacted'),
  current_step: message.step,
  last_contacted_from: message.mailbox,
  timestamp_last_contact: at ?? now,
  mailbox_id: mailboxId,
  thread_subject: threadSubject,
  sent_step_ids: [...lead.sent_step_ids, stepId],
})

/** No step is left for the lead. */
function planDone(lead: LockedLead, now: Date): ActivityChange {
  const timestamp_next_send = finishesLater(lead, now)
  return timestamp_next_send ? { patch: { timestamp_next_send }, events: [] } : planFinish(lead)
}

/** Nothing is sent to the lead any more, and nothing stopped it. */
export function planFinish(lead: Pick<LockedLead, 'status'>): ActivityChange {
  return {
    patch: { status: advanced(lead.status, 'completed'), sending_state: 'finished' },
    events: [{ type: 'lead.completed', data: { previous_status: lead.status } }],
  }
}

function planSeen(lead: LockedLead, seen: Of<'opened' | 'clicked'>, now: Date): ActivityChange {
  // Scanners and prefetchers follow every link before a person has seen it.
  if (seen.isMachine) return { patch: {}, events: [] }
  const { message } = seen
  if (seen.kind === 'opened') {
    return {
      patch: {
        status: advanced(lead.status, 'opened'),
        email_open_count: lead.email_open_count + 1,
        timestamp_last_open: now,
      },
      events: [{ type: 'email.opened', data: { message } }],
    }
  }
  return {
    patch: {
      status: advanced(lead.status, 'clicked'),
      email_click_count: lead.email_click_count + 1,
      timestamp_last_click: now,
    },
    events: [{ type: 'email.clicked', data: { message, url: seen.url } }],
  }
}

function planReply(lead: LockedLead, replied: Of<'replied'>, now: Date): ActivityChange {
  const { message, reply, at = now } = replied
  return {
    patch: {
      status: advanced(lead.status, 'replied'),
      email_reply_count: lead.email_reply_count + 1,
      // What lay in another folder is read later than what came after it.
      timestamp_last_reply: laterOf(at, lead.timestamp_last_reply),
      ...stoppedByReply(lead),
    },
    events: [{ type: 'lead.replied', data: { message, reply }, at }],
  }
}

function planAutoReply(lead: LockedLead, replied: Of<'auto_replied'>, now: Date): ActivityChange {
  const { message, reply, resumeAt, at = now } = replied
  const data = { message, reply }
  const events: ActivityChange['events'] = [{ type: 'lead.auto_replied', data, at }]
  if (lead.stop_on_auto_reply && lead.sending_state !== 'finished') {
    return { patch: stopped(lead, 'auto_replied'), events }
  }
  // Also of a lead that is stopped or finished: whoever takes that back, or moves it to another campaign,
  // must not write into the absence.
  if (!resumeAt || resumeAt <= now) return { patch: {}, events }
  const postponed_until = laterOf(resumeAt, lead.postponed_until)
  const next = lead.timestamp_next_send
  const patch = next ? { timestamp_next_send: laterOf(next, resumeAt) } : {}
  return { patch: { ...patch, postponed_until }, events }
}

function planBounce(lead: LockedLead, bounced: Of<'bounced'>, now: Date): ActivityChange {
  const { message, bounce, at = now } = bounced
  const data = { message, bounce }
  const events: ActivityChange['events'] = [{ type: 'email.bounced', data, at }]
  if (bounce.kind === 'soft' || isFinal(lead.stop_reason)) return { patch: {}, events }
  // Also of a lead that got its last mail: nothing may be sent to it again.
  const patch = { status: 'bounced', label_id: null, sending_state: 'stopped' } as const
  return { patch: { ...patch, stop_reason: 'bounced' }, events }
}

function planSkip(
  lead: LockedLead,
  { reason, detail, sent, madeOf }: Of<'skipped'>,
  now: Date,
): ActivityChange {
  const got = sent ? contacted(lead, sent, now) : {}
  if (!isOpen(lead.sending_state)) return { patch: got, events: [] }
  const skip_reason = `${reason}: ${detail}`
  if (reason === 'suppressed') {
    return { patch: { ...got, skip_reason, ...stopped(lead, 'blocked') }, events: [] }
  }
  if (reason === 'expired') {
    const { patch, events } = planFinish({ ...lead, ...got })
    return { patch: { ...got, skip_reason, ...patch }, events }
  }
  const isTriedAnew = madeOf && isOther(lead, madeOf)
  // Whom a person has paused meanwhile, no change of the lead resumes.
  if (isTriedAnew || !isSending(lead.sending_state)) return { patch: got, events: [] }
  return { patch: { ...got, skip_reason, sending_state: 'paused' }, events: [] }
}

const isOther = ({ timestamp_updated, campaign_updated }: LockedLead, { lead, campaign }: MadeOf) =>
  timestamp_updated.getTime() !== lead.getTime() ||
  campaign_updated.getTime() !== campaign.getTime()

/** Where a reply stops everybody of a company, whoever replied is among them. */
const stoppedByReply = (lead: LockedLead): Partial<LeadState> =>
  lead.stop_on_reply || lead.stop_for_company ? stopped(lead, 'replied') : {}

/** Nothing, unless the lead is still sent to. */
const stopped = (
  lead: LockedLead,
  stop_reason: NonNullable<LockedLead['stop_reason']>,
): Partial<LeadState> =>
  isOpen(lead.sending_state) ? { sending_state: 'stopped', stop_reason } : {}

/** What the service gives by itself, in this order; any other status is somebody's word. */
const automatic = ['new', 'contacted', 'opened', 'clicked', 'completed', 'replied']

const advanced = (status: string, to: string): string => {
  const at = automatic.indexOf(status)
  return at >= 0 && automatic.indexOf(to) > at ? to : status
}

const laterOf = (a: Date, b: Date | null): Date => (b && b > a ? b : a)
