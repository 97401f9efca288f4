import type { Random } from '../../random.ts'
import { type Conditions, drawConditions } from '../engine/conditions.ts'

export interface SendingConditions extends Conditions {
  runners: number
  mailboxes: number
  campaigns: number
  /** Of each campaign at its start. */
  leads: number
  /** Of each campaign. */
  steps: number
  /** Steps are days apart, not minutes. */
  slow: boolean
  /**
   * Unhindered: around the clock, without gaps and limits; tight: one mail after the other, until the
   * campaign's day is full.
   */
  pace: 'any' | 'unhindered' | 'tight'
  /** Everybody answers. */
  talkative: boolean
  /** What operators do within the disturbed time. */
  actions: number
  /** Of these: leads are added. */
  addingChance: number
  /**
   * Of the others: a mailbox is handed over, removed or added again, a lead is moved to another
   * campaign, or a suppression is undone.
   */
  rearrangingChance: number
  /** Of mails about to be sent: their server hesitates, and an operator changes his mind meanwhile. */
  doubtChance: number
  /** Of mails about to be sent: their process stands still for longer than its lease. */
  stuckChance: number
  /** Of a call of a mail server: the connection breaks with it. */
  mailResetChance: number
  /** Of the end of a message: it arrives, or not, and no answer comes back. */
  lostAnswerChance: number
  /** Of what a mail server is asked: it refuses for the moment. */
  refusalChance: number
  /** So many hours of a mailbox's time its servers are down, its login is refused, or its quota spent. */
  troubles: number
  /** Of the notifications of a mail server: they are lost, doubled, or come before what they tell of. */
  noiseChance: number
  /** Of folders: their mails are numbered anew, now and then. */
  renumberings: number
  /** Clocks of processes are set. */
  clockJumps: number
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** A Monday; clocks change on March 8 (New York), March 29 (Berlin) and April 5 (Sydney, Lord Howe). */
const firstDay = new Date(Date.UTC(2026, 2, 2))

/** Just before one of these changes, or at any time. */
const changes = [
  Date.UTC(2026, 2, 8, 7),
  Date.UTC(2026, 2, 29, 1),
  Date.UTC(2026, 3, 4, 15),
  Date.UTC(2026, 3, 4, 16),
]

export function drawSendingConditions(random: Random, days?: number): SendingConditions {
  const conditions = drawConditions(random)
  const isLong = days !== undefined
  // Most are so small that many can be run; what needs more of everything comes in the others.
  const isSmall = !isLong && random.chance(0.9)
  const few = <Value>(small: Value[], usual: Value[], long: Value) =>
    isLong ? long : random.pick(isSmall ? small : usual)
  const disturbedMs = isLong ? days * dayMs : few([0.5, 2], [2, 6, 30], 0) * hourMs
  const rough = (value: number) => (conditions.calm ? 0 : value)
  const change = random.pick(changes) - random.between(0, Math.min(disturbedMs, 2 * dayMs))
  const anyTime = firstDay.getTime() + random.between(0, 35) * dayMs
  return {
    ...conditions,
    runners: random.pick([1, 2]),
    leaseMs: conditions.calm ? 30_000 : random.pick([8_200, 16_300]),
    // What is slow is lived through, and hearts beat all the while.
    latencyMs: random.pick<[number, number]>([
      [0.2, 3],
      [0.2, 3],
      [0.2, 3],
      [0.2, 3],
      [0.2, 30],
      [5, 40],
    ]),
    lagChance: random.pick([0, 0, 0.01]),
    skewMaxMs: random.pick([0, 100, 400]),
    lateCommitChance: random.pick([0, 0.15]),
    crashes: rough(few([0, 1], [conditions.crashes], 3 * conditions.crashes)),
    sleepMs: rough(random.chance(0.15) ? random.pick([0.2, 2, 30]) * hourMs : 0),
    startMs: Math.floor(random.chance(0.4) ? change : anyTime),
    disturbedMs,
    mailboxes: few([1], [1, 2, 2, 3], 3),
    campaigns: few([1], [1, 2], 2),
    leads: few([1, 1, 2], [1, 2, 3], 15),
    steps: few([1, 1, 2], [1, 2, 2], 3),
    slow: isLong || random.chance(0.3),
    pace: random.pick(['any', 'any', 'any', 'unhindered', 'tight']),
    talkative: random.chance(0.1),
    actions: few([0, 1, 2], [0, 2, 4, 5], 30),
    addingChance: random.pick([0.12, 0.12, 0.5]),
    rearrangingChance: 0,
    doubtChance: random.pick([0, 0, 0.2]),
    stuckChance: rough(random.pick([0, 0, 0.1])),
    mailResetChance: rough(random.pick([0, 0.01, 0.05])),
    lostAnswerChance: rough(random.pick([0, 0.05, 0.2])),
    refusalChance: random.pick([0, 0.02, 0.1]),
    troubles: rough(random.pick([0, 0, 1, 2])) * (isLong ? 4 : 1),
    noiseChance: random.pick([0, 0, 0.1, 0.3]),
    renumberings: random.pick([0, 0, 1]) * (isLong ? 4 : 1),
    clockJumps: random.pick([0, 2]),
  }
}
