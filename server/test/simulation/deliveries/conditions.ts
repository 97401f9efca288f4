import type { Random } from '../../random.ts'
import { type Conditions, drawConditions } from '../engine/conditions.ts'
import { drawFailover } from '../engine/failover.ts'

export interface DeliveryConditions extends Conditions {
  retryDelaysMs: number[]
  /** Every receiver fails now and then. */
  troubled: boolean
  /** Of users. */
  actions: number
  /** One transaction with more deliveries than are written at once. */
  fanOut: boolean
}

export function drawDeliveryConditions(random: Random): DeliveryConditions {
  const conditions = drawConditions(random)
  const failing = random.fork('failover')
  const isFailing = !conditions.calm && failing.chance(0.25)
  return {
    ...conditions,
    failovers: isFailing ? [drawFailover(failing, conditions.disturbedMs)] : [],
    retryDelaysMs: random.pick([
      [1_000, 2_000, 4_000],
      [500, 3_000],
      [2_000, 2_000, 2_000, 2_000, 2_000],
    ]),
    troubled: random.chance(0.2),
    actions: random.whole(25, 80),
    fanOut: random.chance(0.04),
  }
}
