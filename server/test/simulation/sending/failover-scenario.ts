import type { Random } from '../../random.ts'
import { drawFailover } from '../engine/failover.ts'
import type { Scenario } from '../engine/scenario.ts'
import { drawSendingConditions, type SendingConditions } from './conditions.ts'
import { failoverFaults } from './failover-faults.ts'
import { sending } from './scenario.ts'
import { seedRows } from './seed-rows.ts'

const minuteMs = 60_000

/** The primary dies while campaigns are sent, and a standby takes over that has everything, or lags. */
export const failover: Scenario<SendingConditions> = {
  ...sending,
  name: 'failover',
  seedRows: `${seedRows}
    insert into instance (id, secret_key_id, timestamp_created)
    values ('00000000-0000-7000-8000-0000000000ff', 'k', '2026-01-01');`,
  faults: failoverFaults,
  seeds: {
    tested: 60,
    replayed: 1,
    remembered: [16_545, 110_008, 500_319, 810_366, 840_002, 18_466, 7_400_570, 9_700_003],
  },
  drawConditions: drawFailoverConditions,
}

function drawFailoverConditions(base: Random): SendingConditions {
  const conditions = drawSendingConditions(base)
  const random = base.fork('failover')
  const disturbedMs = random.pick([2, 5, 10]) * minuteMs
  return {
    ...conditions,
    calm: false,
    disturbedMs,
    runners: random.pick([1, 2, 2]),
    mailboxes: random.pick([1, 2]),
    campaigns: 1,
    leads: random.pick([2, 4, 8]),
    steps: random.pick([1, 2]),
    slow: false,
    pace: random.pick(['any', 'unhindered', 'unhindered', 'tight']),
    crashes: random.pick([0, 0, 0, 1, 2]),
    stalls: random.pick([0, 0, 0, 2]),
    restarts: random.pick([0, 0, 1]),
    sleepMs: 0,
    resetChance: random.pick([0, 0, 0.003]),
    stuckChance: random.pick([0, 0, 0.1]),
    troubles: 0,
    failovers: Array.from({ length: random.pick([1, 1, 1, 2]) }, () =>
      drawFailover(random, disturbedMs / 2),
    ),
  }
}
