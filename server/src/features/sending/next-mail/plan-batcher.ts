import { Batcher } from '../../../kernel/batcher.ts'
import type { ProcessContext } from '../../../kernel/context.ts'
import type { Lane } from '../lanes/lane.ts'
import { recoverOpenSends } from '../lanes/recover.ts'
import type { Writers } from '../lanes/writers.ts'
import type { NextAction } from './next-action.ts'
import { planLanes } from './plan-lanes.ts'

const lanesMax = 256

/** Plans what lanes do next: one batch at a time, of all that wait for it. */
export function createPlanBatcher(
  ctx: ProcessContext,
  writers: Writers,
): Batcher<Lane, NextAction> {
  return new Batcher<Lane, NextAction>(ctx, 'plans', (lanes) => planBatch(ctx, lanes, writers), {
    ...{ itemsMax: lanesMax, gather: 1 },
  })
}

async function planBatch(
  ctx: ProcessContext,
  lanes: Lane[],
  writers: Writers,
): Promise<NextAction[]> {
  const foreign = lanes.filter(({ isRecovered }) => !isRecovered)
  if (foreign.length > 0) await releaseUnfinished(ctx, foreign, writers)
  // Held: they stay awake in the database, and are found there when it is over.
  if (writers.watch.isHeld) return lanes.map(() => ({ kind: 'left' }))
  const actions = await planLanes(ctx, lanes, writers)
  return lanes.map((lane) => actions.get(lane) ?? { kind: 'again' })
}

/** What broke off on the way is offered again: else nobody writes to these leads any more. */
async function releaseUnfinished(ctx: ProcessContext, lanes: Lane[], writers: Writers) {
  const { settlements, prefetch } = writers
  for (const leadId of await recoverOpenSends(ctx, lanes, settlements)) prefetch.release(leadId)
}
