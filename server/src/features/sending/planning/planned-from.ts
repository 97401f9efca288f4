import type { CampaignSchedule } from '../../campaigns/index.ts'
import type { PlannedCampaign, PlannedMailbox, PlannedStep, PlannedVariant } from './planned.ts'

// Rows as the planner looks at them, whoever has read them: what is forecast is what will be sent.

interface MailboxColumns extends Omit<PlannedMailbox, 'ramp_up'> {
  ramp_up_start: number | null
  ramp_up_step: number | null
  ramp_up_from: string | null
}

export const plannedMailbox = (row: MailboxColumns): PlannedMailbox => ({
  id: row.id,
  status: row.status,
  timezone: row.timezone,
  daily_limit: row.daily_limit,
  ramp_up:
    row.ramp_up_start === null || row.ramp_up_step === null || row.ramp_up_from === null
      ? null
      : { start: row.ramp_up_start, step: row.ramp_up_step, from: row.ramp_up_from },
  gap_seconds: row.gap_seconds,
  next_send_at: row.next_send_at,
})

interface StepColumns extends Omit<PlannedStep, 'number' | 'variants'> {
  variants: Omit<PlannedVariant, 'number'>[]
}

interface CampaignColumns extends Omit<PlannedCampaign, 'schedule' | 'steps'> {
  campaign_schedule: CampaignSchedule
}

export const plannedCampaign = (row: CampaignColumns, steps: StepColumns[]): PlannedCampaign => ({
  id: row.id,
  schedule: row.campaign_schedule,
  steps: steps.map(({ id, delay, delay_unit, variants }, index) => ({
    ...{ id, number: index + 1, delay, delay_unit },
    variants: variants.map(({ id, v_disabled }, place) => ({ id, number: place + 1, v_disabled })),
  })),
  daily_limit: row.daily_limit,
  daily_max_leads: row.daily_max_leads,
  email_gap: row.email_gap,
  random_wait_max: row.random_wait_max,
  prioritize_new_leads: row.prioritize_new_leads,
  expire_after_days: row.expire_after_days,
})
