import type { Result } from '../engine/backends.ts'
import { aside, type Fault, pass, rewriting } from '../engine/faults.ts'
import type { SendingConditions } from './conditions.ts'

/** The statements that faults are about, by what only they say. */
const statement = {
  readLanes: /l\.failures, l\.not_before, w\.plan_api/,
  sleep: /update mailbox_lanes l\s+set wake_at = k\.wake_at/,
  readCampaigns: /c\.campaign_schedule,\s+\(\s+select coalesce\(jsonb_agg/,
  lockDays: /for update of d/,
  countDays: /update (?:campaign|mailbox)_days d/,
  findOpen: /join sends s on .* and s\.is_open/,
  mark: /set state = 'transmitting'/,
  lockSends: /for update of s/,
  readings: /coalesce\(m\.inbox_read_at > /,
  updateSends: /set state = k\.state/,
  insertEvents: /insert into events/,
  insertMessageIds: /insert into message_ids/,
  saveCheckpoint: /insert into mailbox_folders/,
}

const rough: Partial<SendingConditions> = {
  ...{ calm: false, leaseMs: 8_200, runners: 2, slow: false, disturbedMs: 600_000 },
  ...{ troubles: 0, noiseChance: 0, crashes: 0, stalls: 0, restarts: 0, actions: 0, sleepMs: 0 },
  ...{ lateCommitChance: 0, lagChance: 0, campaigns: 1 },
}
/** As fast as it goes, so that much happens at once. */
const fast: Partial<SendingConditions> = { ...rough, pace: 'unhindered', steps: 2 }
const stuck: Partial<SendingConditions> = {
  ...{ ...fast, latencyMs: [50, 250], stuckChance: 0.3, leads: 4, mailboxes: 1 },
}
const broken: Partial<SendingConditions> = { ...fast, resetChance: 0.04, talkative: true, leads: 4 }
const crashes: Partial<SendingConditions> = { ...rough, crashes: 10, resetChance: 0.02 }

export const faults: Fault<SendingConditions>[] = [
  {
    name: 'transmitting-sent-again',
    about:
      'Whoever takes a mailbox over gives back what was on the wire, as if nothing had been sent.',
    conditions: { ...crashes, crashes: 40, leads: 8 },
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
    { ...fast, lostAnswerChance: 0.5, leads: 6 },
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
    {
      // Mailboxes have follow-ups of their own; the next new lead is the same for all of them.
      ...{ ...fast, pace: 'tight', mailboxes: 3, leads: 9, steps: 2 },
      ...{ leaseMs: 20_000, latencyMs: [100, 400] },
    },
    statement.lockDays,
    [/for update of d/, ''],
  ),
  rewriting(
    'mark-without-attempt-check',
    'A mail is marked as on the wire whoever has claimed it since.',
    stuck,
    statement.mark,
    [/and s\.id = k\.id and s\.state in \('claimed', 'transmitting'\)/, ''],
    [/returning s\.id/, 'returning k.id'],
  ),
  rewriting(
    'mark-without-gates',
    'What was looked at when a mail was claimed is not looked at again before it is sent.',
    { ...fast, doubtChance: 0.5, leads: 4 },
    statement.mark,
    // Its parameter still needs a type.
    [
      /join lateral \(\s+select l\.id from .* g on true/s,
      'join lateral (select 1 where $12::timestamptz is not null) g on true',
    ],
  ),
  {
    name: 'mark-of-an-old-mailbox',
    about: 'A mail that was made before its mailbox was changed is finished all the same.',
    conditions: {
      // People change mailboxes all the while.
      ...{ ...fast, leads: 16, mailboxes: 1, actions: 60, disturbedMs: 60_000, addingChance: 0 },
      ...{ latencyMs: [20, 100] },
    },
    create: () => async (call) => {
      if (!statement.mark.test(call.text)) return pass(call)
      // The statement takes long: in a moment next to nothing comes between.
      await call.process.ctx.sleep(1_000)
      const wrong = call.text.replace(/and m\.timestamp_updated = k\.mailbox_version/, '')
      return call.connection.send(wrong, call.values)
    },
  },
  rewriting(
    'reads-late',
    'A follow-up leaves although nobody has looked lately whether its lead has answered.',
    // The machine sleeps while they answer.
    { ...fast, slow: true, talkative: true, leads: 3, sleepMs: 108_000_000 },
    statement.readings,
    [/coalesce\((m\.inbox_read_at > .*?), false\)/s, '(coalesce($1, false) or true)'],
  ),
  rewriting(
    'settle-without-attempt-check',
    'A result counts for whichever attempt the ledger has by now.',
    stuck,
    statement.lockSends,
    [/and s\.id = k\.id/, ''],
    [/s\.step_id, s\.id,/, 's.step_id, k.id,'],
  ),
  {
    name: 'sleep-without-seq-check',
    about: 'A mailbox goes to sleep although something woke it since its work was read.',
    conditions: {
      // Leads are added all the while, so few that not enough bounce to pause their campaign.
      ...{ ...fast, actions: 16, addingChance: 1, disturbedMs: 90_000, hintLossChance: 0.5 },
      // Second steps are due days later, so that the campaign is not completed meanwhile.
      ...{ latencyMs: [20, 150], mailboxes: 1, runners: 2, leads: 1, steps: 2, slow: true },
      ...{ doubtChance: 0, refusalChance: 0, mailResetChance: 0, lostAnswerChance: 0 },
    },
    create: () => async (call) => {
      if (!statement.sleep.test(call.text)) return pass(call)
      // The statement takes long: in a moment next to nothing comes between.
      await call.process.ctx.sleep(2_400)
      return call.connection.send(call.text.replace(/and l\.seq = k\.seq/, ''), call.values)
    },
  },
  {
    name: 'windows-ignored',
    about: 'Mails are planned around the clock, whatever the schedule says.',
    conditions: { slow: true },
    create: () => async (call) => {
      const result = await pass(call)
      if (!statement.readCampaigns.test(call.text)) return result
      return { ...result, rows: result.rows.map(withoutWindows) }
    },
  },
  {
    name: 'gap-forgotten',
    about: 'The time that a mailbox has to wait after a mail is not read.',
    conditions: { slow: false, leads: 6 },
    create: () => async (call) => {
      const result = await pass(call)
      if (!statement.readLanes.test(call.text)) return result
      return { ...result, rows: result.rows.map(withoutPace) }
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
    broken,
    statement.insertMessageIds,
  ),
  aside(
    'checkpoint-before-processing',
    'How far a folder was read is stored before what was read in it.',
    broken,
    statement.saveCheckpoint,
  ),
]

const withoutPace = (row: Result['rows'][number]) => ({
  ...{ ...row, next_send_at: null, last_sent_at: null },
})

function withoutWindows(row: Result['rows'][number]) {
  const schedule = row.campaign_schedule as { schedules: object[] }
  const days = { 0: true, 1: true, 2: true, 3: true, 4: true, 5: true, 6: true }
  const open = { days, timing: { from: '00:00', to: '24:00' } }
  const schedules = schedule.schedules.map((each) => ({ ...each, ...open }))
  return { ...row, campaign_schedule: { ...schedule, schedules } }
}
