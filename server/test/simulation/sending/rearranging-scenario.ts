import type { Random } from '../../random.ts'
import type { Scenario } from '../engine/scenario.ts'
import { drawSendingConditions, type SendingConditions } from './conditions.ts'
import { rearrangingFaults } from './rearranging-faults.ts'
import { sending } from './scenario.ts'

const minuteMs = 60_000

/**
 * While campaigns are sent, operators hand mailboxes over, remove and add them again, move leads to
 * another campaign and undo suppressions.
 */
export const rearranging: Scenario<SendingConditions> = {
  ...sending,
  name: 'rearranging',
  faults: rearrangingFaults,
  seeds: { tested: 30, replayed: 1, remembered: [1_337, 21_591, 50_238] },
  drawConditions: drawRearrangingConditions,
}

function drawRearrangingConditions(base: Random): SendingConditions {
  const conditions = drawSendingConditions(base)
  const random = base.fork('rearranging')
  return {
    ...conditions,
    disturbedMs: random.pick([5, 20, 120]) * minuteMs,
    mailboxes: random.pick([2, 2, 3]),
    campaigns: 2,
    leads: random.pick([1, 2, 3]),
    steps: random.pick([1, 2, 2, 3]),
    slow: false,
    crashes: conditions.calm ? 0 : random.pick([0, 0, 1]),
    sleepMs: 0,
    troubles: conditions.calm ? 0 : random.pick([0, 0, 1]),
    actions: random.pick([4, 8, 12]),
    rearrangingChance: 0.7,
  }
}
