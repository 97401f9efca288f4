import type { CampaignSchedule } from '../../../src/features/campaigns/index.ts'
import type { CampaignInput } from '../../../src/features/campaigns/schema.ts'
import type { Random } from '../../random.ts'
import type { SendingConditions } from './conditions.ts'

// What users choose: schedules, sequences, limits.

const everyDay = { 0: true, 1: true, 2: true, 3: true, 4: true, 5: true, 6: true }
const weekdays = { ...everyDay, 0: false, 6: false }

const window = (timezone: string, from: string, to: string, days = everyDay) => ({
  ...{ name: 'Window', timezone, days },
  timing: { from, to },
})

const always = window('UTC', '00:00', '24:00')

/** In most of them a clock changes: the hour before, within and after. */
const windows = [
  [window('Europe/Berlin', '09:00', '17:00', weekdays)],
  [window('America/New_York', '01:30', '04:00')],
  [window('America/New_York', '02:15', '02:45'), window('Europe/Berlin', '08:00', '10:00')],
  [window('Europe/Berlin', '02:00', '03:30')],
  [window('Australia/Sydney', '02:00', '03:00'), window('UTC', '10:00', '18:00')],
  [
    window('Australia/Lord_Howe', '01:30', '02:00'),
    window('Australia/Lord_Howe', '12:00', '20:00'),
  ],
]

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe']

export function drawSchedule(random: Random, { slow, pace }: SendingConditions): CampaignSchedule {
  const isNarrow = random.chance(slow ? 0.8 : 0.4) && pace === 'any'
  const open = isNarrow ? random.pick(windows) : [{ ...always, timezone: random.pick(zones) }]
  return { start_date: null, end_date: null, schedules: open }
}

export function drawLimits(random: Random, { pace }: SendingConditions) {
  if (pace === 'unhindered') return { daily_limit: null, daily_max_leads: null }
  if (pace === 'tight') return { daily_limit: 5, daily_max_leads: null }
  return {
    daily_limit: random.pick([null, null, 3, 8]),
    daily_max_leads: random.pick([null, null, 2]),
  }
}

export const drawDelay = (random: Random, { slow }: SendingConditions) =>
  slow
    ? random.pick([
        { delay: 1, delay_unit: 'days' as const },
        { delay: 2, delay_unit: 'days' as const },
        { delay: 5, delay_unit: 'hours' as const },
      ])
    : { delay: random.pick([0, 1, 5, 20]), delay_unit: 'minutes' as const }

export const drawVariants = (random: Random) =>
  Array.from({ length: random.pick([1, 1, 2]) }, (_, index) => ({
    subject: index === 0 ? 'Hello {{first_name}}' : '',
    body: `<p>{Hi|Hello}, this is ${index}.</p>`,
  }))

export function drawCampaign(
  random: Random,
  conditions: SendingConditions,
  addresses: string[],
): CampaignInput {
  const steps = Array.from({ length: conditions.steps }, (_, index) => ({
    ...(index === 0 && random.chance(0.7)
      ? { delay: 0, delay_unit: 'days' as const }
      : drawDelay(random, conditions)),
    variants:
      index === 0 ? [{ subject: 'Hello {{first_name}}', body: '<p>Hi</p>' }] : drawVariants(random),
  }))
  return {
    name: 'campaign',
    email_list: addresses,
    campaign_schedule: drawSchedule(random, conditions),
    sequences: [{ steps }],
    ...drawLimits(random, conditions),
    email_gap: conditions.pace === 'any' ? random.pick([0, 0, 1, 5]) : 0,
    random_wait_max: conditions.pace === 'any' ? random.pick([0, 2]) : 0,
    stop_on_auto_reply: random.chance(0.2),
    stop_for_company: random.chance(0.3),
    prioritize_new_leads: random.chance(0.3),
    text_only: true,
  }
}

const login = { security: 'tls' as const, password: 'secret' }

export const drawMailbox = (random: Random, conditions: SendingConditions, address: string) => ({
  address,
  smtp: { host: 'mail.example', username: address, ...login },
  imap: { host: 'mail.example', username: address, ...login },
  ...drawPace(random, conditions),
  ...(random.chance(0.5) ? { timezone: random.pick(zones) } : {}),
  ...(random.chance(0.2) && conditions.pace === 'any' ? { ramp_up: { start: 2, step: 1 } } : {}),
})

export function drawPace(random: Random, { pace }: SendingConditions) {
  if (pace === 'unhindered') return { daily_limit: 50, gap_seconds: 0 }
  if (pace === 'tight') return { daily_limit: 50, gap_seconds: 4 }
  return { daily_limit: random.pick([4, 50]), gap_seconds: random.pick([0, 0, 90]) }
}
