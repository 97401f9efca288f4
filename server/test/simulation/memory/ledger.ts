import {
  afterDelay,
  type CampaignSchedule,
  nextStep,
  zoneOf,
} from '../../../src/features/campaigns/index.ts'
import {
  type ActivityChange,
  planActivity,
  planCompanyStop,
} from '../../../src/features/leads/activity/plan-activity.ts'
import type { LeadActivity } from '../../../src/features/leads/index.ts'
import type { LockedLead } from '../../../src/features/leads/record.ts'
import type { ClaimRequest, SendState } from '../../../src/features/sending/ledger.ts'
import type { PlannedStep } from '../../../src/features/sending/planning/plan.ts'
import { type Outcome, transitionOf } from '../../../src/features/sending/transmit/outcome.ts'

export interface LedgerCampaign {
  id: string
  status: 'active' | 'paused'
  version: Date
  schedule: CampaignSchedule
  steps: PlannedStep[]
  daily_limit: number | null
  daily_max_leads: number | null
}

export interface LedgerSend {
  id: string
  leadId: string
  stepId: string
  step: number
  state: SendState
  attempt: number
  request: ClaimRequest
  transmittingAt: Date | null
}

interface Counted {
  sent: number
  new_leads: number
}

/** What a settlement is about, and what came of it. */
export interface LedgerResult {
  id: string
  leadId: string
  stepId: string
  outcome: Outcome
  /** Address of the mailbox. */
  from: string
  at: Date
}

/**
 * The ledger of one campaign by the same rules, without a database: what of them is pure is the code
 * that runs over the database, the rest is written down a second time and held to it by
 * `conformance.test.ts`.
 */
export class MemoryLedger {
  campaign: LedgerCampaign
  readonly leads = new Map<string, LockedLead>()
  readonly sends = new Map<string, LedgerSend>()
  readonly campaignDays = new Map<string, Counted>()
  readonly mailboxDays = new Map<string, Counted>()
  readonly suppressed = new Set<string>()

  constructor(campaign: LedgerCampaign, leads: LockedLead[]) {
    this.campaign = campaign
    for (const lead of leads) this.leads.set(lead.id, lead)
  }

  /** @returns the number of the attempt; null: not now */
  claim(request: ClaimRequest, now: Date): number | null {
    const { lead_id, step_id } = request
    const key = `${lead_id} ${step_id}`
    const send = this.sends.get(key)
    if (send?.id === request.id && send.state === 'claimed') return send.attempt
    const lead = this.leads.get(lead_id)
    if (!lead?.timestamp_next_send || lead.timestamp_next_send > now) return null
    if (!this.#mayBeSent(lead, request)) return null
    if (send && (send.state !== 'failed' || send.id === request.id)) return null
    if (!this.#fits(request)) return null
    this.#count(request, 1)
    const attempt = (send?.attempt ?? 0) + 1
    this.sends.set(key, {
      ...{ id: request.id, leadId: lead_id, stepId: step_id, step: request.step },
      ...{ state: 'claimed', attempt, request, transmittingAt: null },
    })
    return attempt
  }

  mark(request: ClaimRequest, now: Date): boolean {
    const { id, lead_id, step_id } = request
    const send = this.sends.get(`${lead_id} ${step_id}`)
    const lead = this.leads.get(lead_id)
    if (send?.id !== id || !lead || !this.#mayBeSent(lead, request)) return false
    if (!lead.timestamp_next_send || lead.timestamp_next_send > now) return false
    if (send.state !== 'claimed' && send.state !== 'transmitting') return false
    send.state = 'transmitting'
    send.transmittingAt = now
    return true
  }

  /** @returns whether it changed anything */
  settle({ id, leadId, stepId, outcome, from, at }: LedgerResult, now: Date): boolean {
    const send = this.sends.get(`${leadId} ${stepId}`)
    const transition = send?.id === id ? transitionOf(send.state, outcome) : null
    if (!send || !transition) return false
    send.state = transition.state
    if (transition.givesBack) this.#count(send.request, -1)
    const message = {
      ...{ message_id: send.request.message_id, subject: '', step: send.step },
      ...{ variant: send.request.variant, mailbox: from },
    }
    const { effect } = transition
    if (effect?.kind === 'bounce') {
      this.record({ kind: 'bounced', leadId, message, bounce: effect.bounce }, now)
    } else if (effect?.kind === 'skip') {
      const { reason, detail } = effect
      this.record({ kind: 'skipped', leadId, reason, detail }, now)
    } else if (effect?.kind === 'later') {
      this.#postpone(leadId, effect.at)
    }
    if (transition.records) {
      const mayBeTakenBack = outcome.kind === 'abandoned'
      const sentAt = mayBeTakenBack ? (send.transmittingAt ?? at) : at
      const { mailbox_id: mailboxId } = send.request
      const next = this.#nextOf(send, sentAt)
      const sent = { at: sentAt, message, stepId, mailboxId, threadSubject: '', next }
      this.record({ kind: 'sent', leadId, ...sent, mayBeTakenBack }, now)
    }
    return true
  }

  record(activity: LeadActivity, now: Date) {
    const lead = this.leads.get(activity.leadId)
    if (!lead) return
    this.#change(lead, planActivity(lead, activity, now))
    if (activity.kind === 'unsubscribed') this.suppressed.add(lead.email_folded)
    if (activity.kind === 'bounced' && activity.bounce.kind === 'hard') {
      this.suppressed.add(lead.email_folded)
    }
    if (activity.kind !== 'replied' || !lead.stop_for_company) return
    for (const other of this.leads.values()) {
      if (other.id !== lead.id && other.company === lead.company) {
        this.#change(other, planCompanyStop(other))
      }
    }
  }

  #change(lead: LockedLead, { patch }: ActivityChange) {
    const changed = { ...lead, ...patch }
    const isDone = changed.sending_state === 'finished' || changed.sending_state === 'stopped'
    const isSame = Object.keys(patch).length === 0
    this.leads.set(lead.id, isDone && !isSame ? { ...changed, timestamp_next_send: null } : changed)
  }

  #postpone(leadId: string, until: Date) {
    const lead = this.leads.get(leadId)
    if (!lead || (lead.sending_state !== 'pending' && lead.sending_state !== 'active')) return
    const { postponed_until: absent } = lead
    const postponed_until = absent && absent > until ? absent : until
    this.leads.set(leadId, { ...lead, timestamp_next_send: postponed_until, postponed_until })
  }

  #nextOf(send: LedgerSend, at: Date) {
    const sent_step_ids = send.request.is_new
      ? [send.stepId]
      : [...this.sends.values()]
          .filter(({ leadId, state }) => leadId === send.leadId && isSent(state))
          .sort((a, b) => (a.transmittingAt?.getTime() ?? 0) - (b.transmittingAt?.getTime() ?? 0))
          .map(({ stepId }) => stepId)
    const next = nextStep(this.campaign.steps, { sent_step_ids, current_step: send.step })
    return next ? { notBefore: afterDelay(zoneOf(this.campaign.schedule), next, at) } : null
  }

  #mayBeSent(lead: LockedLead, request: ClaimRequest): boolean {
    const { mailbox_id, campaign_version, step_id, after_step_id } = request
    if (this.campaign.version.getTime() !== campaign_version.getTime()) return false
    if (this.campaign.status !== 'active' || this.suppressed.has(lead.email_folded)) return false
    if (lead.sending_state !== 'pending' && lead.sending_state !== 'active') return false
    if ((lead.sent_step_ids.at(-1) ?? null) !== after_step_id) return false
    if (lead.mailbox_id !== null && lead.mailbox_id !== mailbox_id) return false
    return ![...this.sends.values()].some(
      ({ leadId, stepId, state }) =>
        leadId === lead.id &&
        stepId !== step_id &&
        (state === 'claimed' || state === 'transmitting'),
    )
  }

  #fits(request: ClaimRequest): boolean {
    const { daily_limit, daily_max_leads } = this.campaign
    const campaignDay = this.campaignDays.get(request.campaign_day) ?? none
    const mailboxDay = this.mailboxDays.get(dayKey(request)) ?? none
    return (
      mailboxDay.sent < request.mailbox_limit &&
      campaignDay.sent < (daily_limit ?? Number.POSITIVE_INFINITY) &&
      (!request.is_new || campaignDay.new_leads < (daily_max_leads ?? Number.POSITIVE_INFINITY))
    )
  }

  #count(request: ClaimRequest, by: 1 | -1) {
    const add = (days: Map<string, Counted>, key: string) => {
      const { sent, new_leads } = days.get(key) ?? none
      days.set(key, { sent: sent + by, new_leads: new_leads + by * Number(request.is_new) })
    }
    add(this.campaignDays, request.campaign_day)
    add(this.mailboxDays, dayKey(request))
  }
}

const none: Counted = { sent: 0, new_leads: 0 }

export const dayKey = ({
  mailbox_id,
  mailbox_day,
}: Pick<ClaimRequest, 'mailbox_id' | 'mailbox_day'>) => `${mailbox_id} ${mailbox_day}`

const isSent = (state: SendState) => state === 'sent' || state === 'uncertain'
