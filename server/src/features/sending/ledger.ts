import type { TemplateLead } from '../campaigns/index.ts'

/**
 * The ledger has one row per lead and step, and one per reply that a person writes (of the kind
 * `manual`: its key stands in the place of the step), written before anything is on the wire:
 *
 *   (waiting ─▶) claimed ─▶ transmitting ─▶ sent | failed | uncertain
 *   failed ─▶ claimed, or waiting: another attempt
 *
 * `waiting`: a reply, until the runner that sends from its mailbox claims it.
 * `claimed`: nothing of it was sent. `transmitting` is written just before the end of the message:
 * whoever finds such a row and did not write it cannot know what became of the mail. `uncertain`
 * counts as sent and is never sent again by itself. Each attempt has an id of its own, and every
 * change names the attempt that it is about: what a slower process knows of an earlier one changes
 * nothing, and what it knows of this one still counts.
 */
export type SendState = 'waiting' | 'claimed' | 'transmitting' | 'sent' | 'failed' | 'uncertain'

/** Longer than a runner needs that sends other mails from the mailbox. */
export const claimedWithinMs = 30_000

/** Of a reply that waits: one that nobody has claimed for longer is withdrawn. */
export const mayStillLeave = (waitsSince: string, at: string) =>
  `${waitsSince} > ${at}::timestamptz - interval '${claimedWithinMs} ms'`

/** The key of a send in the ledger. */
export interface SendKey {
  workspace_id: string
  lead_id: string
  step_id: string
}

/** The order in which rows of the ledger are locked. */
export function compareKeys(a: SendKey, b: SendKey): number {
  if (a.workspace_id !== b.workspace_id) return a.workspace_id < b.workspace_id ? -1 : 1
  if (a.lead_id !== b.lead_id) return a.lead_id < b.lead_id ? -1 : 1
  if (a.step_id !== b.step_id) return a.step_id < b.step_id ? -1 : 1
  return 0
}

/** One mail that is to be sent now. */
export interface ClaimRequest extends SendKey {
  /** Id of this attempt. */
  id: string
  campaign_id: string
  /** The mail was planned by this version: once the campaign was changed, it is planned anew. */
  campaign_version: Date
  mailbox_id: string
  /** Likewise, of the mailbox. */
  mailbox_version: Date
  /** Number of the step, from 1. */
  step: number
  variant_id: string
  /** From 1. */
  variant: number
  message_id: string
  /** Token of the lease of the mailbox's bucket. */
  token: string
  is_new: boolean
  /** The last step that its lead had got when it was planned; null: a first mail. */
  after_step_id: string | null
  campaign_day: string
  mailbox_day: string
  /** What the mailbox may send on that day. */
  mailbox_limit: number
  /** The mail is not sent from then on: its window closes, or one of its days ends. */
  until: Date
}

/** A mail that is this lane's to send, with what it is made of. */
export interface Claim extends ClaimRequest {
  attempt: number
  lead: ClaimedLead
  /** Sent to the lead before, oldest first. */
  earlier: EarlierSend[]
}

export interface ClaimedLead extends TemplateLead {
  id: string
  email: string
  /** Its version, as it was claimed. */
  timestamp_updated: Date
  thread_subject: string | null
}

export interface EarlierSend {
  step_id: string
  /** With its angle brackets: as the lead saw it. */
  message_id: string
  starts_thread: boolean
}
