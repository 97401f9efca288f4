import type { StepMail } from '../../daily-counts/index.ts'

/** A mail of a campaign, as events tell of it. */
export interface EventMessage {
  message_id: string
  subject: string
  step: number
  variant: number
  /** Address of the mailbox that sent it. */
  mailbox: string
}

interface EventReply {
  message_id: string | null
  subject: string
  text: string
  html: string | null
  snippet: string
}

/** The mail that it is about; the last that the lead was sent, if it is not given. */
interface OfMail {
  mail?: StepMail | undefined
  message: EventMessage
}

/** A step that a lead got. */
export interface SentMail extends OfMail {
  /** When the server took it; now, if it is not given. */
  at?: Date
  /** On which it is counted, in its campaign's zone; today, if it is not given. */
  day?: string
  stepId: string
  mailboxId: string
  /** Continued by steps without a subject. */
  threadSubject: string
}

/** Something that a mail server, a lead or its machine did, as far as the lead is concerned. */
export type LeadActivity =
  | (SentMail & {
      kind: 'sent'
      leadId: string
      /** The step after this one by its delay alone; null: this was the last. */
      next: { notBefore: Date } | null
      /** Whoever was sending it was lost, may be alive, and say that it never left. */
      mayBeTakenBack?: boolean
    })
  | (OfMail & { kind: 'opened'; leadId: string; isMachine: boolean })
  | (OfMail & { kind: 'clicked'; leadId: string; url: string; isMachine: boolean })
  | (OfMail & {
      kind: 'replied'
      leadId: string
      /** When it arrived; now, if it is not given. */
      at?: Date
      reply: EventReply
      /** The mail came from the lead's own address, and cites a mail of ours: mail does arrive there. */
      provesAddress?: boolean
    })
  | (OfMail & {
      kind: 'auto_replied'
      leadId: string
      at?: Date
      reply: EventReply
      isOutOfOffice: boolean
      /** The end of the absence, where the reply tells one. */
      resumeAt: Date | null
    })
  | (OfMail & { kind: 'bounced'; leadId: string; at?: Date; bounce: EventBounce })
  | (Pick<OfMail, 'mail'> & { kind: 'unsubscribed'; leadId: string; at?: Date })
  /** Its person is being taken out: nothing is sent to it, and what it came to stays as it is. */
  | { kind: 'erased'; leadId: string }
  /** No step is left for it: those that were have been removed. */
  | { kind: 'finished'; leadId: string }
  | {
      kind: 'skipped'
      leadId: string
      reason: SkipReason
      detail: string
      /** What the mail was made of: the lead is tried anew where that has changed since. */
      madeOf?: MadeOf
      /** Counts as sent all the same, and is not told of. */
      sent?: SentMail
    }

/** The versions of what a mail was made of. */
export interface MadeOf {
  lead: Date
  campaign: Date
}

export interface EventBounce {
  kind: 'hard' | 'soft'
  /** Enhanced status code, or that of the SMTP reply. */
  code: string
  diagnostic: string
}

/**
 * Why a mail that was due is not sent:
 * `template_failed` holds the lead back until what its mail is made of is changed, `message_refused` until
 * a person resumes it;
 * `expired` completes it; `suppressed` stops it for good.
 */
export type SkipReason = 'template_failed' | 'message_refused' | 'expired' | 'suppressed'
