import { Batcher } from '../../../kernel/batcher.ts'
import type { ProcessContext } from '../../../kernel/context.ts'
import type { Lane } from '../lanes/lane.ts'
import { recoverLanes } from '../lanes/recover.ts'
import type { SenderParts } from '../lanes/sender-parts.ts'
import type { NextAction } from './next-action.ts'
import { planLanes } from './plan-lanes.ts'

const lanesMax = 256

/** Plans what lanes do next: one batch at a time, of all that wait for it. */
export function createPlanBatcher(
  ctx: ProcessContext,
  parts: SenderParts,
): Batcher<Lane, NextAction> {
  return new Batcher<Lane, NextAction>(ctx, 'plans', (lanes) => planBatch(ctx, lanes, parts), {
    ...{ itemsMax: lanesMax, gather: 1 },
  })
}

async function planBatch(
  ctx: ProcessContext,
  lanes: Lane[],
  parts: SenderParts,
): Promise<NextAction[]> {
  // Before anything more is sent: a standby that took over may have the mark of its last mail and not the
  // result, which the next one has to keep its gap from.
  for (const lane of lanes) if (lane.isInDoubt && !lane.isBusy) lane.recoverAgain()
  const unrecovered = lanes.filter(({ isRecovered }) => !isRecovered)
  if (unrecovered.length > 0) await recoverLanes(ctx, unrecovered, parts)
  // Held: they stay awake in the database, and are found there when it is over.
  if (parts.guard.isHeld) return lanes.map(() => ({ kind: 'left' }))
  const recovered = lanes.filter(({ isRecovered }) => isRecovered)
  const actions = await planLanes(ctx, recovered, parts)
  return lanes.map((lane) => actions.get(lane) ?? { kind: 'settle' })
}
