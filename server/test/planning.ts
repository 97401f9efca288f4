import {
  gapAfter,
  type PlannedCampaign,
  type PlannedLead,
  type PlannedMailbox,
  type PlannedSend,
  type PlannedStep,
  type SendHistory,
} from '../src/features/sending/planning/plan.ts'
import { dayOf } from '../src/kernel/calendar.ts'

const everyDay = { '0': true, '1': true, '2': true, '3': true, '4': true, '5': true, '6': true }

export const plannedWindow = (
  from: string,
  to: string,
  timezone = 'UTC',
  days: Partial<typeof everyDay> = {},
): PlannedCampaign['schedule']['schedules'][number] => ({
  name: 'Window',
  timing: { from, to },
  days: { ...everyDay, ...days },
  timezone,
})

export const plannedSchedule = (
  ...schedules: PlannedCampaign['schedule']['schedules']
): PlannedCampaign['schedule'] => ({ start_date: null, end_date: null, schedules })

export const plannedStep = (id: string, more: Partial<PlannedStep> = {}): PlannedStep => ({
  id,
  number: 1,
  delay: 0,
  delay_unit: 'days',
  variants: [{ id: `${id}-a`, number: 1, v_disabled: false }],
  ...more,
})

/** Numbers them by their place. */
export const plannedSteps = (...steps: PlannedStep[]): PlannedStep[] =>
  steps.map((step, index) => ({ ...step, number: index + 1 }))

/** Always open, no limits, no gaps, one step. */
export const plannedCampaign = (more: Partial<PlannedCampaign> = {}): PlannedCampaign => ({
  id: 'campaign',
  schedule: plannedSchedule(plannedWindow('00:00', '24:00')),
  steps: [plannedStep('step-1')],
  daily_limit: null,
  daily_max_leads: null,
  email_gap: 0,
  random_wait_max: 0,
  prioritize_new_leads: false,
  expire_after_days: null,
  ...more,
})

export const plannedMailbox = (
  id = 'mailbox-1',
  more: Partial<PlannedMailbox> = {},
): PlannedMailbox => ({
  id,
  status: 'connected',
  timezone: null,
  daily_limit: 1000,
  ramp_up: null,
  gap_seconds: 0,
  next_send_at: null,
  ...more,
})

export const newLead = (id: string, more: Partial<PlannedLead> = {}): PlannedLead => ({
  id,
  mailbox_id: null,
  sent_step_ids: [],
  current_step: 0,
  last_sent_at: null,
  timestamp_created: new Date('2026-01-01T00:00:00Z'),
  not_before: null,
  suppressed: false,
  ...more,
})

/** Has got these steps. */
export const followedLead = (
  id: string,
  sentStepIds: string[],
  lastSentAt: string,
  more: Partial<PlannedLead> = {},
): PlannedLead =>
  newLead(id, {
    mailbox_id: 'mailbox-1',
    sent_step_ids: sentStepIds,
    current_step: sentStepIds.length,
    last_sent_at: new Date(lastSentAt),
    ...more,
  })

export const noHistory = (): SendHistory => ({
  campaignDay: { day: '', sent: 0, new_leads: 0 },
  mailboxDays: new Map(),
})

export interface SendingState {
  leads: PlannedLead[]
  mailboxes: PlannedMailbox[]
  history: SendHistory
}

/** What the ledger knows after a send. */
export function afterSend(
  campaign: PlannedCampaign,
  { leads, mailboxes, history }: SendingState,
  send: PlannedSend,
): SendingState {
  const mailbox = mailboxes.find(({ id }) => id === send.mailbox_id)
  if (!mailbox) throw new Error('There is no such mailbox.')
  const day = dayOf(campaign.schedule.schedules[0]?.timezone ?? 'UTC', send.at)
  const today =
    history.campaignDay.day === day ? history.campaignDay : { day, sent: 0, new_leads: 0 }
  const own = dayOf(mailbox.timezone ?? 'UTC', send.at)
  const ownDay = history.mailboxDays.get(mailbox.id)
  const ownSent = ownDay?.day === own ? ownDay.sent : 0
  const gap = gapAfter(campaign, mailbox, send.lead_id, send.step_id)
  return {
    leads: leads.map((lead) => (lead.id === send.lead_id ? afterStep(lead, send) : lead)),
    mailboxes: mailboxes.map((each) =>
      each === mailbox ? { ...each, next_send_at: new Date(send.at.getTime() + gap) } : each,
    ),
    history: {
      campaignDay: {
        day,
        sent: today.sent + 1,
        new_leads: today.new_leads + Number(send.isNew),
      },
      mailboxDays: new Map([...history.mailboxDays, [mailbox.id, { day: own, sent: ownSent + 1 }]]),
    },
  }
}

const afterStep = (lead: PlannedLead, send: PlannedSend): PlannedLead => ({
  ...lead,
  mailbox_id: send.mailbox_id,
  sent_step_ids: [...lead.sent_step_ids, send.step_id],
  current_step: send.step,
  last_sent_at: send.at,
})
