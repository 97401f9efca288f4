import type { Context } from '../../kernel/context.ts'
import { isHintFor } from '../../kernel/runner/hint.ts'
import { Leases } from '../../kernel/runner/leases.ts'
import { startLoop } from '../../kernel/runner/loop.ts'
import {
  countAbandons,
  findDueFanouts,
  findDueLanes,
  type SweepPosition,
  sweepLanes,
} from './cross-workspace.ts'
import type { Attempt } from './delivery.ts'
import { leaseKind } from './enqueue.ts'
import { expandFanout } from './fan-out.ts'
import { Lanes } from './lanes.ts'

export interface DeliveryRunnerOptions {
  /** Calls back on every hint that something is due; resolves to the end of listening. */
  listen?: (onHint: (hint: string) => void) => Promise<() => Promise<void>>
  onAttempt?: (attempt: Attempt) => void
  /** Whether nothing may be sent: the database was restored, and nobody has confirmed it. */
  isHeld?: () => boolean
  /** How busy this process was since it was asked last, 0 to 1. */
  busyShare?: () => number
}

export interface DeliveryRunner {
  /** The buckets that this process owns. */
  buckets: () => number[]
  /** Destinations of which something is due. */
  lanesLeased: () => number
  /** Results of deliveries that the database does not take. */
  resultsRefused: () => number
  inFlight: () => number
  /** Drains for at most this long, releases the leases and resolves. */
  stop: (withinMs?: number) => Promise<void>
}

const pollEveryMs = 250
/** A transaction that committed up to so long after its rows' due time is found by the next poll. */
const overlapMs = 2_000
const hintOverlapMs = 200
const sweepEveryMs = 1_000
const sweepRoundSteps = 25
const fanoutsPerRun = 16

/**
 * Delivers what is due in the buckets this process owns. Three sources find lanes with work, all of
 * them reading `deliveries` itself, so no wake-up can be lost: hints, a poll of what fell due since
 * the last one, and a sweep of all lanes for what a late commit hid from the poll.
 */
export async function startDeliveryRunner(
  ctx: Context,
  options: DeliveryRunnerOptions = {},
): Promise<DeliveryRunner> {
  const { isHeld = () => false } = options
  const leases: Leases = new Leases(ctx, leaseKind, {
    taken: (_buckets, abandoned) => {
      sweep.restart()
      if (abandoned.length > 0) background(ctx, () => countAbandons(ctx.db, abandoned, ctx.now()))
    },
    lost: (buckets) => lanes.leave(buckets),
    drained: (buckets) => lanes.drain(buckets, drainMs),
  })
  let drainMs = 20_000
  const lanes = new Lanes(ctx, {
    slot: leases.slot,
    holds: (bucket) => leases.holds(bucket) && !isHeld(),
    ...(options.onAttempt ? { onAttempt: options.onAttempt } : {}),
    ...(options.busyShare ? { busyShare: options.busyShare } : {}),
  })
  const sweep = createSweep(ctx, leases, lanes)
  const poll = createPoll(ctx, leases, lanes)

  const heartbeat = startLoop(ctx, 'leases', ctx.config.leaseMs / 3, () => leases.beat())
  const discover = startLoop(ctx, 'discover', pollEveryMs, async (hinted) => {
    lanes.tick()
    if (!isHeld()) await poll(hinted)
  })
  const sweeping = startLoop(ctx, 'sweep', sweepEveryMs, async () => {
    // When nothing is held any more, the sweep starts over and finds what fell due meanwhile.
    if (isHeld()) sweep.restart()
    else await sweep.step()
  })
  const fanOut = startLoop(ctx, 'fan-out', sweepEveryMs, async () => {
    const due = await findDueFanouts(ctx.db, leases.buckets(), ctx.now(), fanoutsPerRun)
    for (const fanout of due) await expandFanout(ctx, fanout)
  })
  const unlisten = await options.listen?.((hint) => {
    if (!isHintFor(hint, leaseKind, leases.buckets())) return
    discover.wake()
    fanOut.wake()
  })

  return {
    buckets: () => leases.buckets(),
    lanesLeased: () => lanes.withWork,
    resultsRefused: () => lanes.settler.refused,
    inFlight: () => lanes.inFlight,
    async stop(withinMs = 5_000) {
      drainMs = withinMs
      await unlisten?.()
      await Promise.all([heartbeat, discover, sweeping, fanOut].map((loop) => loop.stop()))
      await leases.release()
    },
  }
}

function createPoll(ctx: Context, leases: Leases, lanes: Lanes) {
  let polledTo = new Date(ctx.now().getTime() - overlapMs)
  return async (hinted: boolean) => {
    const to = ctx.now()
    const from = new Date(polledTo.getTime() - (hinted ? hintOverlapMs : overlapMs))
    for (const lane of await findDueLanes(ctx.db, leases.buckets(), from, to)) {
      lanes.wake(lane.workspace_id, lane.webhook_id)
    }
    polledTo = to
  }
}

const nilId = '00000000-0000-0000-0000-000000000000'

/** A step is a thousand lanes at first, and more where a round of all lanes took over 25 steps. */
function createSweep(ctx: Context, leases: Leases, lanes: Lanes) {
  const first: SweepPosition = { bucket: -1, workspace_id: nilId, webhook_id: nilId }
  let position = first
  let stepSize = 1000
  let steps = 0
  return {
    restart() {
      position = first
    },
    async step() {
      const swept = await sweepLanes(ctx.db, leases.buckets(), position, ctx.now(), stepSize)
      for (const lane of swept) {
        if (lane.has_work) lanes.wake(lane.workspace_id, lane.webhook_id)
      }
      steps += 1
      const last = swept.at(-1)
      if (last && swept.length === stepSize) {
        position = last
        return
      }
      position = first
      if (steps > sweepRoundSteps) stepSize *= 2
      steps = 0
    },
  }
}

function background(ctx: Context, work: () => Promise<unknown>) {
  work().catch(() => ctx.log.warn('abandoned leases were not counted'))
}
