/** What the planner looks at, and what it answers. */

import type { CampaignSchedule } from '../../campaigns/index.ts'

/** What of an active campaign decides when it sends. */
export interface PlannedCampaign {
  id: string
  schedule: CampaignSchedule
  steps: PlannedStep[]
  daily_limit: number | null
  /** Leads a day that get their first mail. */
  daily_max_leads: number | null
  /** Minutes between two mails of one mailbox. */
  email_gap: number
  /** Up to so many minutes more. */
  random_wait_max: number
  prioritize_new_leads: boolean
  /** After so long a follow-up is not sent any more; first mails wait as long as the limits make them. */
  expire_after_days: number | null
}

/** In the order of the sequence. */
export interface PlannedStep {
  id: string
  /** From 1. */
  number: number
  delay: number
  delay_unit: 'minutes' | 'hours' | 'days'
  variants: PlannedVariant[]
}

export interface PlannedVariant {
  id: string
  /** From 1. */
  number: number
  v_disabled: boolean
}

/** A mailbox that the campaign names. */
export interface PlannedMailbox {
  id: string
  status: 'connected' | 'error' | 'paused'
  /** Null: its day is that of UTC. */
  timezone: string | null
  daily_limit: number
  /** So many mails on the first day and so many more each day, up to `daily_limit`. */
  ramp_up: { start: number; step: number; from: string } | null
  gap_seconds: number
  /** When it is free again, as the last send left it; null: now. */
  next_send_at: Date | null
}

/** One that is sent to: the planner is asked for nobody else. */
export interface PlannedLead {
  id: string
  /** The mailbox that its thread is in: follow-ups come from no other. */
  mailbox_id: string | null
  /** In the order they were sent; those that cannot be told from sent ones included. */
  sent_step_ids: string[]
  /** Number that the last step sent had then; 0 before the first. */
  current_step: number
  /** When its last step was sent; the delay of the next one counts from it. */
  last_sent_at: Date | null
  /** The delay of the first step counts from it. */
  timestamp_created: Date
  /** Nothing before it whatever the delays say: the end of an absence. */
  not_before: Date | null
  suppressed: boolean
}

/** What was sent today, by each one's own day. Figures of another day than today's count as 0. */
export interface SendHistory {
  campaignDay: { day: string; sent: number; new_leads: number }
  mailboxDays: Map<string, { day: string; sent: number }>
}

export interface PlannedSend {
  lead_id: string
  step_id: string
  step: number
  variant_id: string
  variant: number
  mailbox_id: string
  /** Not before `now`, not after the window that is open now has closed. */
  at: Date
  /** When its window closes, or a day ends that it is counted on: it is not sent from then on. */
  until: Date
  /** The first mail of its lead. */
  isNew: boolean
  /** The last step that its lead had got, which this one follows; null: it is the first mail. */
  after_step_id: string | null
}

export type WaitReason =
  | 'mailboxes_unhealthy'
  | 'schedule_ended'
  | 'outside_schedule'
  | 'campaign_daily_limit'
  | 'new_lead_limit'
  | 'mailbox_daily_limits'
  /** Mails before it take the rest of the window. */
  | 'mailbox_busy'
  /** The mailbox of its thread is not connected, or no longer the campaign's. */
  | 'mailbox_unavailable'
  | 'waiting_for_step_delay'
  /** Every variant of its next step is disabled. */
  | 'no_enabled_variant'
  | 'suppressed'
  /** Nothing is left to send: it is to be finished. */
  | 'no_step_left'
  /** Overdue for longer than the campaign allows: it is to be skipped. */
  | 'expired'

export interface WaitingLead {
  lead_id: string
  reason: WaitReason
  /** When this reason passes by itself; null: it does not. */
  until: Date | null
}

export interface SendPlan {
  /** In the order of `at`: sends of now are to be sent now, later ones are what is planned next. */
  sends: PlannedSend[]
  waiting: WaitingLead[]
  /** When it is worth planning again; null: when something changes. */
  next: Date | null
}
