import type { EventType } from '../../events/catalogue/index.ts'
import { type BuiltinStatus, builtinStatuses, foldStatus, type Label } from '../../labels/index.ts'
import { isFinal, isHeldBack, isOpen, isSending, type LeadState, sendingAgain } from '../record.ts'

/**
 * What a lead may be set to (contract §7). `status` is what the lead means to people, and
 * `sending_state` what the sender does with it:
 *
 *   pending ─▶ active ─▶ finished        pending or active ◀─▶ paused
 *   pending, active, paused ─▶ stopped   stopped or paused ─▶ where it was, by `active`
 *
 * A lead that is suppressed, finished, or stopped for a final reason never leaves that state: a
 * status set on it changes what it means to people and nothing else.
 */
export type NewStatus =
  | { kind: 'builtin'; status: BuiltinStatus }
  | { kind: 'label'; label: StatusLabel }

export type StatusLabel = Pick<Label, 'id' | 'name' | 'value' | 'effect'>

/** What of a lead decides. */
export type StatusSubject = Pick<
  LeadState,
  | 'status'
  | 'label_id'
  | 'sending_state'
  | 'stop_reason'
  | 'skip_reason'
  | 'current_step'
  | 'email_open_count'
  | 'email_click_count'
  | 'email_reply_count'
  | 'timestamp_last_contact'
  | 'timestamp_last_open'
  | 'timestamp_last_click'
  | 'timestamp_last_reply'
>

export type StatusChange =
  | { kind: 'unchanged' }
  /** A 409; the message is safe to show. */
  | { kind: 'refused'; message: string }
  | {
      kind: 'changed'
      /** Only what changes. */
      patch: Partial<LeadState>
      /** To be written in the transaction of the change. */
      event: EventType | null
    }

/**
 * Reads `new_status`, whatever its case, spaces, `-` and `_`, with or without `lead.`: a built-in
 * status first, then a label by id, by value and by name.
 */
export function parseNewStatus(
  text: string,
  labels: readonly StatusLabel[],
): NewStatus | undefined {
  const folded = foldStatus(text)
  const status = builtinStatuses.find((each) => foldStatus(each) === folded)
  if (status) return { kind: 'builtin', status }
  // The event of a label is `lead.label.<id>`.
  const id = folded.replace(/^label\./, '')
  const label =
    labels.find((each) => foldStatus(each.id) === id) ??
    labels.find((each) => foldStatus(each.value) === folded) ??
    labels.find((each) => foldStatus(each.name) === folded)
  return label && { kind: 'label', label }
}

/** @param suppressed whether the address is on the workspace's suppression list */
export function planStatusChange(
  lead: StatusSubject,
  target: NewStatus,
  { suppressed }: { suppressed: boolean },
): StatusChange {
  if (target.kind === 'label') {
    const { id, value, effect } = target.label
    return planStatus(lead, { status: value, label_id: id }, effect, `lead.label.${id}`)
  }
  const { status } = target
  if (status === 'paused') return planPaused(lead)
  if (status === 'active') return planActive(lead, suppressed)
  if (status === 'none') {
    return planStatus(lead, { status: automaticStatus(lead), label_id: null }, 'none', null)
  }
  return planStatus(lead, { status, label_id: null }, effects[status], `lead.${status}`)
}

/** The status that the service itself would give: what the lead did, as far as is known. */
export function automaticStatus(lead: StatusSubject): string {
  const { stop_reason, sending_state } = lead
  if (stop_reason === 'bounced' || stop_reason === 'unsubscribed') return stop_reason
  if (lead.email_reply_count > 0 || lead.timestamp_last_reply) return 'replied'
  if (sending_state === 'finished') return 'completed'
  if (lead.email_click_count > 0 || lead.timestamp_last_click) return 'clicked'
  if (lead.email_open_count > 0 || lead.timestamp_last_open) return 'opened'
  if (lead.current_step > 0 || lead.timestamp_last_contact) return 'contacted'
  return 'new'
}

type Effect = 'none' | 'pause' | 'stop' | 'finish' | 'unsubscribe'

const effects: Record<Exclude<BuiltinStatus, 'paused' | 'active' | 'none'>, Effect> = {
  interested: 'stop',
  meeting_booked: 'stop',
  meeting_completed: 'stop',
  closed: 'stop',
  not_interested: 'stop',
  lost: 'stop',
  wrong_person: 'stop',
  no_show: 'stop',
  neutral: 'none',
  out_of_office: 'pause',
  completed: 'finish',
  unsubscribed: 'unsubscribe',
}

/** Whether nothing more is sent to whom a person gives this status, were the lead still sent to. */
export const stopsByStatus = (status: string, label: Pick<Label, 'effect'> | undefined): boolean =>
  effectOf(status, label) === 'stop'

/** What the status of a lead makes of its sending, as if a person gave it now; only what changes. */
export const sendingByStatus = (
  lead: StatusSubject,
  label: Pick<Label, 'effect'> | undefined,
): Sending => sendingAfter(lead, effectOf(lead.status, label))

function effectOf(status: string, label: Pick<Label, 'effect'> | undefined): Effect {
  if (label) return label.effect
  return Object.entries(effects).find(([name]) => name === status)?.[1] ?? 'none'
}

/** A status that the lead has makes no second event; sending that was resumed since ends again. */
function planStatus(
  lead: StatusSubject,
  wanted: Pick<LeadState, 'status' | 'label_id'>,
  effect: Effect,
  event: EventType | null,
): StatusChange {
  const isNew = lead.status !== wanted.status || lead.label_id !== wanted.label_id
  const patch = { ...(isNew ? wanted : {}), ...sendingAfter(lead, effect) }
  if (Object.keys(patch).length === 0) return { kind: 'unchanged' }
  return { kind: 'changed', patch, event: isNew ? event : null }
}

type Sending = Partial<Pick<LeadState, 'sending_state' | 'stop_reason' | 'skip_reason'>>

function sendingAfter(lead: StatusSubject, effect: Effect): Sending {
  const { sending_state, stop_reason } = lead
  if (isFinal(stop_reason)) return {}
  if (effect === 'unsubscribe') return { sending_state: 'stopped', stop_reason: 'unsubscribed' }
  if (effect === 'pause') return pausedByPerson(lead) ?? {}
  if (!isOpen(sending_state)) return {}
  if (effect === 'stop') return { sending_state: 'stopped', stop_reason: 'manual' }
  return effect === 'finish' ? { sending_state: 'finished' } : {}
}

/** One that the service held back goes on by itself no more. Undefined: nothing of its sending changes. */
function pausedByPerson(lead: StatusSubject): Sending | undefined {
  const ownReason = lead.skip_reason === null ? {} : { skip_reason: null }
  if (isSending(lead.sending_state)) return { sending_state: 'paused', ...ownReason }
  return isHeldBack(lead) ? ownReason : undefined
}

function planPaused(lead: StatusSubject): StatusChange {
  const patch = pausedByPerson(lead)
  if (patch) return { kind: 'changed', patch, event: null }
  const { sending_state } = lead
  if (sending_state === 'paused') return { kind: 'unchanged' }
  return refuse(`The lead is ${sending_state}; only one that is still sent to can be paused.`)
}

function planActive(lead: StatusSubject, suppressed: boolean): StatusChange {
  const { sending_state, stop_reason } = lead
  if (suppressed) {
    return refuse('The address is on the suppression list; nothing is sent to this lead again.')
  }
  if (isFinal(stop_reason)) {
    return refuse(`The lead was stopped as ${stop_reason}; nothing is sent to it again.`)
  }
  if (sending_state === 'finished') {
    return refuse('The lead has finished the campaign; there is nothing left to resume.')
  }
  if (isSending(sending_state)) return { kind: 'unchanged' }
  const patch: Sending = { sending_state: sendingAgain(lead) }
  if (stop_reason !== null) patch.stop_reason = null
  return { kind: 'changed', patch, event: null }
}

const refuse = (message: string): StatusChange => ({ kind: 'refused', message })
