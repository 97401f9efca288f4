import type { LeadActivity } from '../../../src/features/leads/index.ts'
import type { LockedLead } from '../../../src/features/leads/record.ts'
import type { ClaimRequest } from '../../../src/features/sending/ledger.ts'
import {
  gapAfter,
  mailboxLimit,
  type PlannedCampaign,
  type PlannedLead,
  type PlannedMailbox,
  planSends,
} from '../../../src/features/sending/planning/plan.ts'
import type { Outcome } from '../../../src/features/sending/transmit/outcome.ts'
import { dayOf } from '../../../src/kernel/calendar.ts'
import { Random } from '../../random.ts'
import { isOpenWithin, sameSchedule } from '../sending/wall-clock.ts'
import { dayKey, MemoryLedger } from './ledger.ts'

export interface CampaignRun {
  days: number
  mails: number
  /** Empty when every promise was kept. */
  violations: string[]
}

const dayMs = 86_400_000
const daysMax = 90
const candidatesMax = 8
const zone = 'Europe/Berlin'

/**
 * A campaign from its first mail to its last by the planner and the ledger without a database, over
 * the change of clocks of March 29: answers are lost, senders die and are succeeded, people reply.
 */
export function runCampaign(seed: number, leadCount: number): CampaignRun {
  const random = new Random(`campaign ${seed}`)
  const startMs = Date.UTC(2026, 2, 23, 6) + random.whole(0, 6) * dayMs
  const campaign = drawCampaign(random)
  const mailboxes = drawMailboxes(random)
  const leads = Array.from({ length: leadCount }, (_, index) => leadOf(index, new Date(startMs)))
  const ledger = new MemoryLedger({ ...campaign, status: 'active', version: new Date(0) }, leads)
  const run: CampaignRun = { days: 0, mails: 0, violations: [] }
  const taken = new Set<string>()
  const wakes = new Map(mailboxes.map(({ id }) => [id, startMs]))
  const letters: { atMs: number; activity: LeadActivity }[] = []
  const open: ClaimRequest[] = []
  let nowMs = startMs
  let attempts = 0

  const send = (mailbox: PlannedMailbox, request: ClaimRequest) => {
    const now = new Date(nowMs)
    if (ledger.claim(request, now) === null) return false
    if (random.chance(0.03) || !ledger.mark(request, now)) {
      open.push(request)
      return true
    }
    if (!isOpenWithin(campaign.schedule, nowMs, nowMs)) run.violations.push('outside its window')
    const key = `${request.lead_id} ${request.step_id}`
    const isTaken = random.chance(0.93)
    if (isTaken && taken.has(key)) run.violations.push(`${key} was taken twice`)
    if (isTaken) taken.add(key)
    run.mails += Number(isTaken)
    if (random.chance(0.03)) open.push(request)
    else settle(request, drawOutcome(random, isTaken, now))
    const gapMs = gapAfter(campaign, mailbox, request.lead_id, request.step_id)
    mailbox.next_send_at = new Date(nowMs + gapMs)
    if (isTaken) answer(request.lead_id)
    return true
  }
  const settle = ({ id, lead_id, step_id }: ClaimRequest, outcome: Outcome) => {
    const at = new Date(nowMs)
    ledger.settle({ id, leadId: lead_id, stepId: step_id, outcome, from: '', at }, at)
  }
  const answer = (leadId: string) => {
    const activity = drawAnswer(random, leadId, nowMs)
    if (activity) letters.push({ atMs: nowMs + random.between(0, 2) * dayMs, activity })
  }
  const look = (mailbox: PlannedMailbox): number => {
    // Whoever looks first succeeds those who died.
    for (const request of open.splice(0)) settle(request, { kind: 'abandoned' })
    const now = new Date(nowMs)
    const own = dayOf(zone, now)
    const counted = ledger.campaignDays.get(own) ?? { sent: 0, new_leads: 0 }
    const sent = ledger.mailboxDays.get(dayKey({ mailbox_id: mailbox.id, mailbox_day: own }))?.sent
    const due = dueFor(ledger, mailbox.id, now)
    const plan = planSends(now, campaign, [mailbox], due.map(planned), {
      campaignDay: { day: own, ...counted },
      mailboxDays: new Map([[mailbox.id, { day: own, sent: sent ?? 0 }]]),
    })
    const first = plan.sends.find(({ at }) => at.getTime() <= nowMs)
    if (first) {
      const isSent = send(mailbox, {
        ...{ workspace_id: '', id: `attempt ${attempts++}`, campaign_id: campaign.id },
        ...{
          campaign_version: ledger.campaign.version,
          mailbox_version: new Date(0),
          lead_id: first.lead_id,
          step_id: first.step_id,
          step: first.step,
        },
        ...{ mailbox_id: mailbox.id, variant: first.variant, variant_id: first.variant_id },
        ...{ message_id: '', token: '0', is_new: first.isNew, campaign_day: own, mailbox_day: own },
        ...{ mailbox_limit: mailboxLimit(mailbox, own), until: first.until },
        after_step_id: first.after_step_id,
      })
      if (!isSent) run.violations.push(`what was planned of ${first.lead_id} was refused`)
      return nowMs + 1
    }
    return Math.min(plan.next?.getTime() ?? Infinity, nextDueMs(ledger, mailbox.id, nowMs))
  }

  while (nowMs < startMs + daysMax * dayMs) {
    const wakeMs = Math.min(...wakes.values())
    const letter = letters.reduce(earliest, undefined as (typeof letters)[number] | undefined)
    if (letter && letter.atMs <= wakeMs) {
      nowMs = Math.max(nowMs, letter.atMs)
      letters.splice(letters.indexOf(letter), 1)
      ledger.record(letter.activity, new Date(nowMs))
      for (const { id } of mailboxes) wakes.set(id, nowMs)
      continue
    }
    if (!Number.isFinite(wakeMs)) break
    nowMs = Math.max(nowMs, wakeMs)
    for (const mailbox of mailboxes) {
      if ((wakes.get(mailbox.id) ?? Infinity) <= nowMs) wakes.set(mailbox.id, look(mailbox))
    }
    if (open.length > 0) for (const { id } of mailboxes) wakes.set(id, nowMs + 30_000)
  }
  run.days = Math.ceil((nowMs - startMs) / dayMs)
  return {
    ...run,
    violations: [...run.violations, ...checkHistory(ledger, campaign, mailboxes, taken)],
  }
}

/** Everybody came to an end; every mail that was taken is in the ledger; no day was overdrawn. */
function checkHistory(
  { leads, sends, campaignDays, mailboxDays }: MemoryLedger,
  { daily_limit, daily_max_leads }: PlannedCampaign,
  [mailbox]: PlannedMailbox[],
  taken: Set<string>,
): string[] {
  const left = [...leads.values()].filter(
    ({ sending_state }) => sending_state === 'pending' || sending_state === 'active',
  )
  const unrecorded = [...taken].filter((key) => {
    const state = sends.get(key)?.state
    return state !== 'sent' && state !== 'uncertain'
  })
  const overdrawn = [
    ...[...campaignDays.values()].filter(
      ({ sent, new_leads }) =>
        sent > (daily_limit ?? Infinity) || new_leads > (daily_max_leads ?? Infinity),
    ),
    ...[...mailboxDays.values()].filter(({ sent }) => sent > (mailbox?.daily_limit ?? 0)),
  ]
  return [
    ...left.map(({ id }) => `${id} never came to its end`),
    ...unrecorded.map((key) => `${key} was taken and is not recorded`),
    ...overdrawn.map(({ sent }) => `a day has ${sent} mails`),
  ]
}

const isFor = (lead: LockedLead, mailboxId: string) =>
  (lead.sending_state === 'pending' || lead.sending_state === 'active') &&
  (lead.mailbox_id === null || lead.mailbox_id === mailboxId)

const dueMsOf = ({ timestamp_next_send }: LockedLead) => timestamp_next_send?.getTime() ?? Infinity

const dueFor = ({ leads, suppressed }: MemoryLedger, mailboxId: string, now: Date) =>
  [...leads.values()]
    .filter((lead) => isFor(lead, mailboxId) && dueMsOf(lead) <= now.getTime())
    .filter(({ email_folded }) => !suppressed.has(email_folded))
    .sort((a, b) => dueMsOf(a) - dueMsOf(b))
    .slice(0, candidatesMax)

function nextDueMs({ leads }: MemoryLedger, mailboxId: string, nowMs: number): number {
  let first = Number.POSITIVE_INFINITY
  for (const lead of leads.values()) {
    const ms = dueMsOf(lead)
    if (ms > nowMs && ms < first && isFor(lead, mailboxId)) first = ms
  }
  return first
}

const planned = (lead: LockedLead): PlannedLead => ({
  ...lead,
  last_sent_at: lead.timestamp_last_contact,
  not_before: lead.timestamp_next_send,
  suppressed: false,
})

const earliest = <Timed extends { atMs: number }>(one: Timed | undefined, other: Timed) =>
  one && one.atMs <= other.atMs ? one : other

const week = { 0: false, 1: true, 2: true, 3: true, 4: true, 5: true, 6: false }

function drawCampaign(random: Random): PlannedCampaign {
  const timing = random.pick([
    { from: '09:00', to: '17:00' },
    { from: '01:30', to: '03:30' },
  ])
  const days = timing.from === '09:00' ? week : { ...week, 0: true, 6: true }
  const delays = [0, random.whole(1, 3), random.whole(1, 3)]
  return {
    ...{ id: 'campaign', expire_after_days: null },
    schedule: sameSchedule({
      ...{ start_date: null, end_date: null },
      schedules: [{ name: 'Window', timezone: zone, timing, days }],
    }),
    steps: delays.map((delay, index) => ({
      ...{ id: `step ${index}`, number: index + 1, delay, delay_unit: 'days' },
      variants: [{ id: `variant ${index}`, number: 1, v_disabled: false }],
    })),
    daily_limit: random.pick([null, 6, 10]),
    daily_max_leads: random.pick([null, 4]),
    email_gap: random.pick([0, 5]),
    random_wait_max: random.pick([0, 5]),
    prioritize_new_leads: random.chance(0.3),
  }
}

const drawMailboxes = (random: Random): PlannedMailbox[] => {
  const daily_limit = random.pick([5, 50])
  return ['mailbox a', 'mailbox b'].map((id) => ({
    ...{ id, status: 'connected', timezone: zone, daily_limit, ramp_up: null },
    ...{ gap_seconds: 0, next_send_at: null },
  }))
}

function drawOutcome(random: Random, isTaken: boolean, now: Date): Outcome {
  const error = { stage: 'message', code: null, message: 'No answer.' }
  if (isTaken) return random.chance(0.95) ? { kind: 'sent' } : { kind: 'uncertain', error }
  if (random.chance(0.3)) return { kind: 'uncertain', error }
  const at = new Date(now.getTime() + 600_000)
  return { kind: 'failed', error, effect: { kind: 'later', at } }
}

function drawAnswer(random: Random, leadId: string, nowMs: number): LeadActivity | undefined {
  const message = { message_id: '', subject: '', step: 1, variant: 1, mailbox: '' }
  const reply = { message_id: null, subject: '', text: '', html: null, snippet: '' }
  const kind = random.next()
  if (kind < 0.05) return { kind: 'replied', leadId, message, reply }
  if (kind < 0.08) return { kind: 'unsubscribed', leadId }
  if (kind > 0.13) return undefined
  const resumeAt = new Date(nowMs + random.between(1, 5) * dayMs)
  return { kind: 'auto_replied', leadId, message, reply, isOutOfOffice: true, resumeAt }
}

const leadOf = (index: number, created: Date) =>
  ({
    ...{ id: `lead ${index}`, email: `lead${index}@a.example`, company: null, status: 'new' },
    ...{ email_folded: `lead${index}@a.example`, sending_state: 'pending', stop_reason: null },
    ...{ current_step: 0, sent_step_ids: [], mailbox_id: null, postponed_until: null },
    ...{ email_open_count: 0, email_click_count: 0, email_reply_count: 0 },
    ...{ timestamp_created: created, timestamp_next_send: created, timestamp_last_contact: null },
    ...{ stop_on_reply: true, stop_on_auto_reply: false, stop_for_company: false },
  }) as unknown as LockedLead
