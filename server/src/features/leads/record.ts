import type { StepOutcome, StepPlace } from '../daily-counts/index.ts'
import type { Lead } from './schema.ts'

type FinalReason = 'bounced' | 'unsubscribed' | 'blocked'

/** What becomes of a lead as it is sent to, answers, or is given a status. */
export interface LeadState
  extends Pick<
    Lead,
    | 'status'
    | 'sending_state'
    | 'stop_reason'
    | 'skip_reason'
    | 'current_step'
    | 'last_contacted_from'
    | 'email_open_count'
    | 'email_click_count'
    | 'email_reply_count'
    | 'timestamp_last_contact'
    | 'timestamp_last_open'
    | 'timestamp_last_reply'
    | 'timestamp_next_send'
  > {
  label_id: string | null
  /** Of one that was stopped for a final reason: what it was before; null: it was sent to. */
  stopped_from: 'paused' | 'finished' | Exclude<Lead['stop_reason'], FinalReason | null> | null
  timestamp_last_click: Date | null
  /** Nothing is sent before, whatever the delays say. */
  postponed_until: Date | null
  /** Whose thread it is in. */
  mailbox_id: string | null
  thread_subject: string | null
  /** In the order they were sent. */
  sent_step_ids: string[]
  /** Where the campaign stops for a company: the domain of the lead's. */
  company: string | null
  /** Where what it came to was counted, and the steps whose opens and clicks were; null: nothing was. */
  outcomes_counted: OutcomesCounted | null
}

/** What a person may do again and again with each mail. */
export type Seen = Extract<StepOutcome, 'opened' | 'clicked'>

type OutcomesCounted = Partial<
  Record<Exclude<StepOutcome, Seen>, StepPlace> & Record<Seen, string[]>
>

/** A lead as it is read: its record, and what only rules look at. */
export interface StoredLead extends Lead, LeadState {
  email_folded: string
  /** The lead that was written to first of those that were moved on; null: itself. */
  moved_from: string | null
}

/** With what its campaign says of it. */
export interface LockedLead extends StoredLead {
  campaign_name: string
  /** Of its first schedule: in which its days are counted. */
  campaign_zone: string
  stop_on_reply: boolean
  stop_on_auto_reply: boolean
  stop_for_company: boolean
  /** Who has no step left since an edit is not finished before. */
  leads_finish_at: Date | null
  /** When its campaign was changed last. */
  campaign_updated: Date
  /** Of the mail that it was sent last. */
  last_variant_id: string | null
}

/** The row of a lead, or of a contact, stays when a person is erased; nobody is in it any more. */
export const isErased = ({ email_folded }: Pick<StoredLead, 'email_folded'>) =>
  email_folded.endsWith('@erased.invalid')

/** Never overwritten and never resumed from. */
export const isFinal = (reason: LeadState['stop_reason']): reason is FinalReason =>
  reason === 'unsubscribed' || reason === 'bounced' || reason === 'blocked'

/** Mails go out to it. */
export const isSending = (state: LeadState['sending_state'] | undefined) =>
  state === 'pending' || state === 'active'

/** A lead that is neither done nor stopped: mails go out to it, or will once it is resumed. */
export const isOpen = (state: LeadState['sending_state']) => isSending(state) || state === 'paused'

/** The service holds it back for what its `skip_reason` says; without a reason a person has paused it. */
export const isHeldBack = ({
  sending_state,
  skip_reason,
}: Pick<LeadState, 'sending_state' | 'skip_reason'>) =>
  sending_state === 'paused' && skip_reason !== null

/** Its mail could not be made: it goes on once what the mail is made of is changed. */
export const hasFailedTemplate = (lead: Pick<LeadState, 'sending_state' | 'skip_reason'>) =>
  isHeldBack(lead) && lead.skip_reason?.startsWith('template_failed: ') === true

/** Why its mail could not be made, as a sentence; null: that is not what holds it back. */
export const whyNotMade = (lead: Pick<LeadState, 'sending_state' | 'skip_reason'>) =>
  hasFailedTemplate(lead) ? (lead.skip_reason?.replace('template_failed: ', '') ?? null) : null

/** How a lead is sent to that goes on from where it was. */
export const sendingAgain = ({
  current_step,
}: Pick<LeadState, 'current_step'>): 'pending' | 'active' =>
  current_step === 0 ? 'pending' : 'active'

/**
 * Just what the API shows, in answers and in events. Named one by one: an object of known shape is
 * made and written as JSON several times as fast as what is left of another.
 */
export const leadRecord = (lead: StoredLead): Lead => ({
  id: lead.id,
  campaign_id: lead.campaign_id,
  email: lead.email,
  first_name: lead.first_name,
  last_name: lead.last_name,
  company_name: lead.company_name,
  company_domain: lead.company_domain,
  job_title: lead.job_title,
  phone: lead.phone,
  website: lead.website,
  personalization: lead.personalization,
  custom_variables: lead.custom_variables,
  status: lead.status,
  sending_state: lead.sending_state,
  stop_reason: lead.stop_reason,
  skip_reason: lead.skip_reason,
  current_step: lead.current_step,
  last_contacted_from: lead.last_contacted_from,
  email_open_count: lead.email_open_count,
  email_click_count: lead.email_click_count,
  email_reply_count: lead.email_reply_count,
  timestamp_last_contact: lead.timestamp_last_contact,
  timestamp_last_open: lead.timestamp_last_open,
  timestamp_last_reply: lead.timestamp_last_reply,
  timestamp_next_send: nextSendShown(lead),
  workspace_id: lead.workspace_id,
  timestamp_created: lead.timestamp_created,
  timestamp_updated: lead.timestamp_updated,
})

/** Kept for whoever resumes the lead; until then nothing is sent. */
const nextSendShown = ({
  sending_state,
  timestamp_next_send,
}: Pick<StoredLead, 'sending_state' | 'timestamp_next_send'>) =>
  isSending(sending_state) ? timestamp_next_send : null
