import type { ParsedTemplate, TemplateLead } from '../campaigns/index.ts'
import type { TrackingLinks } from '../tracking/index.ts'
import type { MailAddress } from './mail-address.ts'

/** What of a campaign decides how its mails look. */
export interface MailCampaign {
  workspace_id: string
  campaign_schedule: { schedules: { timezone: string }[] }
  open_tracking: boolean
  link_tracking: boolean
  text_only: boolean
  first_email_text_only: boolean
  insert_unsubscribe_header: boolean
  cc_list: string[]
  bcc_list: string[]
}

export interface MailVariant {
  id: string
  subject: string
  body: string
}

/** A step's variant of a campaign, parsed once and rendered for each lead. */
export interface CompiledStep {
  readonly workspaceId: string
  readonly stepId: string
  readonly variantId: string
  readonly subject: ParsedTemplate
  readonly body: ParsedTemplate
  /** The body says where the signature stands; else it stands at the end. */
  readonly placesSignature: boolean
  readonly isTextOnly: boolean
  /** So is what a lead gets first. */
  readonly isFirstTextOnly: boolean
  readonly tracksOpens: boolean
  readonly tracksLinks: boolean
  readonly hasUnsubscribeHeader: boolean
  readonly cc: MailAddress[]
  readonly bcc: MailAddress[]
  /** Of the dates in the templates. */
  readonly timezone: string
}

export interface ComposeInput {
  lead: TemplateLead & { id: string }
  /** Who gets it in the lead's place, and sees what the lead would. */
  to?: string | undefined
  mailbox: {
    address: string
    display_name: string | null
    /** HTML. */
    signature: string | null
  }
  /** With its angle brackets. */
  messageId: string
  /** What an empty subject continues; null: nothing was sent yet. */
  thread: MailThread | null
  at: Date
  /** The links of the mailbox, from the `LinkMaker` of the process. */
  links: TrackingLinks
  /** The mail is filed in the Sent folder, too. */
  keepsCopy?: boolean
}

export interface MailThread {
  in_reply_to: string
  /** Oldest first. */
  references: string[]
  /** Of the thread's first mail, without "Re:". */
  subject: string
}

export interface ComposedMail {
  /** CRLF lines; the dots of SMTP are not doubled yet. */
  bytes: Buffer
  /** For the Sent folder, without tracking: whoever looks there is not the lead. */
  copy: Buffer | null
  subject: string
  /** What the next step passes as `thread.subject`. */
  threadSubject: string
  /** The mail has a subject of its own; else it continues the thread. */
  startsThread: boolean
  text: string
  /** Without tracking: what is kept and shown. */
  html: string | null
  sizeBytes: number
  /** An address needs SMTPUTF8. */
  needsUtf8: boolean
  /** For MAIL FROM and RCPT TO: domains in ASCII form, no address twice, Bcc included. */
  from: string
  recipients: string[]
  /** Recipients that the mail names as getting a copy. */
  cc: string[]
}
