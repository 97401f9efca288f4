import type { Result } from '../engine/backends.ts'
import { aside, type Fault, pass, rewriting } from '../engine/faults.ts'
import type { SendingForecast } from './weather.ts'

/** The statements that faults are about, by what only they say. */
const statement = {
  readLanes: /l\.failures, l\.not_before, w\.plan_api/,
  sleep: /update mailbox_lanes l\s+set wake_at = k\.wake_at/,
  readCampaigns: /c\.campaign_schedule,\s+c\.sequences/,
  lockDays: /for update of d/,
  countDays: /update (?:campaign|mailbox)_days d/,
  findOpen: /join sends s on .* and s\.is_open/,
  mark: /set state = 'transmitting'/,
  lockSends: /for update of s/,
  updateSends: /set state = k\.state/,
  insertEvents: /insert into events/,
  insertMessageIds: /insert into message_ids/,
  saveCheckpoint: /insert into "mailbox_folders"/,
}

const rough: Partial<SendingForecast> = {
  ...{ calm: false, leaseMs: 5_800, runners: 2, slow: false, disturbedMs: 1_200_000 },
  ...{ troubles: 0, noiseChance: 0 },
}
const crashes: Partial<SendingForecast> = { ...rough, crashes: 10, resetChance: 0.02 }
const stalls: Partial<SendingForecast> = { ...rough, stalls: 16, leads: 6 }
const lively: Partial<SendingForecast> = { ...rough, actions: 30, leads: 6 }

export const faults: Fault<SendingForecast>[] = [
  {
    name: 'transmitting-sent-again',
    about:
      'Whoever takes a mailbox over gives back what was on the wire, as if nothing had been sent.',
    weather: { ...crashes, crashes: 40, leads: 8 },
    create: () => {
      const taken = new Set<unknown>()
      return async (call) => {
        const result = await pass(call)
        if (statement.findOpen.test(call.text)) for (const { id } of result.rows) taken.add(id)
        if (!statement.lockSends.test(call.text)) return result
        const back = (row: Result['rows'][number]) =>
          row.state === 'transmitting' && taken.has(row.id) ? { ...row, state: 'claimed' } : row
        return { ...result, rows: result.rows.map(back) }
      }
    },
  },
  rewriting(
    'uncertain-taken-for-failed',
    'A mail of which no answer came is taken for one that was not sent.',
    { ...rough, lostAnswerChance: 0.3 },
    statement.updateSends,
    [
      /set state = k\.state/,
      "set state = case k.state when 'uncertain' then 'failed' else k.state end",
    ],
  ),
  rewriting(
    'days-not-counted',
    'A claim does not reserve what it takes of the limits of the day.',
    {},
    statement.countDays,
    [/d\.sent \+ k\.sent/, 'd.sent + 0 * k.sent'],
  ),
  rewriting(
    'days-not-locked',
    'A claim looks at the limits of the day without keeping others from doing the same.',
    { ...rough, mailboxes: 3, campaigns: 1, leads: 12, latencyMs: [5, 80], hintLossChance: 0 },
    statement.lockDays,
    [/for update of d/, ''],
  ),
  rewriting(
    'mark-without-attempt-check',
    'A mail is marked as on the wire whoever has claimed it since.',
    stalls,
    statement.mark,
    [/and s\.id = k\.id and s\.state in \('claimed', 'transmitting'\)/, ''],
    [/returning s\.id/, 'returning k.id'],
  ),
  rewriting(
    'mark-without-gates',
    'What was looked at when a mail was claimed is not looked at again before it is sent.',
    { ...lively, actions: 60, latencyMs: [300, 1_500] },
    statement.mark,
    [/join lateral \(select l\.id from .* g on true/s, ''],
  ),
  rewriting(
    'settle-without-attempt-check',
    'A result counts for whichever attempt the ledger has by now.',
    { ...stalls, refusalChance: 0.2, mailResetChance: 0.1 },
    statement.lockSends,
    [/and s\.id = k\.id/, ''],
    [/s\.step_id, s\.id,/, 's.step_id, k.id,'],
  ),
  rewriting(
    'sleep-without-seq-check',
    'A mailbox goes to sleep although something woke it since its work was read.',
    { ...lively, latencyMs: [5, 80] },
    statement.sleep,
    [/and l\.seq = k\.seq/, ''],
  ),
  {
    name: 'windows-ignored',
    about: 'Mails are planned around the clock, whatever the schedule says.',
    weather: { slow: true },
    create: () => async (call) => {
      const result = await pass(call)
      if (!statement.readCampaigns.test(call.text)) return result
      return { ...result, rows: result.rows.map(withoutWindows) }
    },
  },
  {
    name: 'gap-forgotten',
    about: 'The time that a mailbox has to wait after a mail is not read.',
    weather: { slow: false, leads: 6 },
    create: () => async (call) => {
      const result = await pass(call)
      if (!statement.readLanes.test(call.text)) return result
      return { ...result, rows: result.rows.map((row) => ({ ...row, next_send_at: null })) }
    },
  },
  aside(
    'events-outside-transaction',
    'Events are stored on another connection than what they tell of.',
    crashes,
    statement.insertEvents,
  ),
  aside(
    'letters-known-before-their-effect',
    'That a letter was dealt with is stored before it is.',
    { ...crashes, noiseChance: 0.3 },
    statement.insertMessageIds,
  ),
  aside(
    'checkpoint-before-processing',
    'How far a folder was read is stored before what was read in it.',
    crashes,
    statement.saveCheckpoint,
  ),
]

function withoutWindows(row: Result['rows'][number]) {
  const schedule = row.campaign_schedule as { schedules: object[] }
  const days = { 0: true, 1: true, 2: true, 3: true, 4: true, 5: true, 6: true }
  const open = { days, timing: { from: '00:00', to: '24:00' } }
  const schedules = schedule.schedules.map((each) => ({ ...each, ...open }))
  return { ...row, campaign_schedule: { ...schedule, schedules } }
}
