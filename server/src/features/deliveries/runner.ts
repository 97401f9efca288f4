import type { ProcessContext } from '../../kernel/context.ts'
import { nilId } from '../../kernel/ids.ts'
import { describeError } from '../../kernel/log.ts'
import { type LaneName, type ListenForHints, readHint } from '../../kernel/runner/hint.ts'
import { bucketsOf, type Scope, wakeOwners, withoutLeader } from '../../kernel/runner/leader.ts'
import { Leases } from '../../kernel/runner/leases.ts'
import { startLoop } from '../../kernel/runner/loop.ts'
import { createPoll } from '../../kernel/runner/poll.ts'
import {
  countAbandons,
  findDueLanes,
  type LaneKey,
  type SweepPosition,
  sweepLanes,
} from './cross-workspace.ts'
import type { Attempt } from './delivery.ts'
import { fanoutKind, leaseKind } from './enqueue.ts'
import { expandDueFanouts } from './fan-out.ts'
import { Lanes } from './lanes.ts'
import { chooseCountStripe } from './record.ts'

export interface DeliveryRunnerOptions {
  listen?: ListenForHints
  /** Whose lanes it looks for; its own, if it is not given. */
  scope?: () => Scope
  onAttempt?: (attempt: Attempt) => void
  /** Whether nothing may be sent: the database was restored, and nobody has confirmed it. */
  holdsAll?: () => boolean
  /** How busy this process was since it was asked last, 0 to 1. */
  busyShare?: () => number
}

export interface DeliveryRunner {
  /** The buckets that this process owns. */
  buckets: () => number[]
  /** Destinations of which something is due. */
  lanesWithWork: () => number
  /** Results of deliveries that the database does not take. */
  resultsRefused: () => number
  /** Drains for at most this long, releases the leases and resolves. */
  stop: (withinMs?: number) => Promise<void>
}

const pollEveryMs = 250
const sweepEveryMs = 1_000
const fanoutsEveryMs = 1_000
const sweepRoundSteps = 25
/** Some hundred milliseconds of one statement; a round of more lanes takes more steps. */
const sweepStepMax = 20_000

/**
 * Delivers what is due in the buckets this process owns. Hints name the lanes with work. Whatever they
 * miss is found by a poll of what fell due since the last one, and what a late commit hid from that
 * by a sweep of all lanes; both read `deliveries` itself, so no wake-up can be lost. The leader polls
 * and sweeps for all, and hints to the others.
 */
export async function startDeliveryRunner(
  ctx: ProcessContext,
  options: DeliveryRunnerOptions = {},
): Promise<DeliveryRunner> {
  const { holdsAll = () => false, scope = withoutLeader } = options
  const leases: Leases = new Leases(ctx, leaseKind, {
    taken: (_buckets, abandoned) => {
      sweep.restart()
      if (abandoned.length === 0) return
      countAbandons(ctx.db, abandoned, ctx.now()).catch((error) =>
        ctx.log.warn(describeError(error), 'abandoned leases were not counted'),
      )
    },
    lost: (buckets) => lanes.leave(buckets),
    drained: (buckets) => lanes.drain(buckets, drainMs),
  })
  let drainMs = 20_000
  const lanes = new Lanes(ctx, {
    countStripe: chooseCountStripe(ctx),
    holds: (bucket, nowMs) => leases.holds(bucket, nowMs) && !holdsAll(),
    ...(options.onAttempt ? { onAttempt: options.onAttempt } : {}),
    ...(options.busyShare ? { busyShare: options.busyShare } : {}),
  })
  /** The buckets that are looked at now. */
  const watched = () => bucketsOf(scope(), leases.buckets())
  const lookedAt = (hinted: boolean) =>
    hinted && scope() === 'none' ? leases.buckets() : watched()
  const wakeLane = ({ workspaceId, id }: LaneName) => lanes.wake(workspaceId, id)
  const wake = (found: LaneKey[]) =>
    wakeOwners(
      ctx,
      { kind: leaseKind, own: leases.buckets(), wake: wakeLane },
      found.map((lane) => ({ workspaceId: lane.workspace_id, id: lane.webhook_id })),
    )
  const sweep = createSweep(ctx, { leases, watched, wake })
  const poll = createPoll(ctx, async (buckets, from, to) =>
    wake(await findDueLanes(ctx.db, buckets, from, to)),
  )

  const heartbeat = startLoop(ctx, 'leases', ctx.config.leaseMs / 3, () => leases.beat())
  const discover = startLoop(ctx, 'discover', pollEveryMs, async (hinted) => {
    lanes.tick()
    const buckets = lookedAt(hinted)
    if (buckets.length > 0) await poll(buckets, hinted)
  })
  const sweeping = startLoop(ctx, 'sweep', sweepEveryMs, async () => {
    // When nothing is held any more, the sweep starts over and finds what fell due meanwhile.
    if (holdsAll()) sweep.restart()
    else await sweep.step()
  })
  const fanOut = startLoop(ctx, 'fan-out', fanoutsEveryMs, async (hinted) => {
    const owned = leases.buckets()
    const mayBeMore = await expandDueFanouts(ctx, { watched: lookedAt(hinted), owned })
    if (mayBeMore) fanOut.wake()
  })
  const unlisten = await options.listen?.((text) => {
    const buckets = leases.buckets()
    const hint = readHint(text, leaseKind, buckets)
    for (const lane of hint?.lanes ?? []) wakeLane(lane)
    if (hint?.isToLook) discover.wake()
    if (readHint(text, fanoutKind, buckets)) fanOut.wake()
  })

  return {
    buckets: () => leases.buckets(),
    lanesWithWork: () => lanes.withWork,
    resultsRefused: () => lanes.settler.refused,
    async stop(withinMs = 5_000) {
      drainMs = withinMs
      await unlisten?.()
      await Promise.all([heartbeat, discover, sweeping, fanOut].map((loop) => loop.stop()))
      await leases.release()
    },
  }
}

interface SweepOptions {
  leases: Leases
  /** The buckets of the next round. */
  watched: () => number[]
  wake: (found: LaneKey[]) => void
}

/**
 * A step is a thousand lanes at first, and more, up to a limit, where a round of all lanes took over 25
 * steps. A round that is started over goes through our own buckets: some are new, and whoever sweeps for all has
 * passed them.
 */
function createSweep(ctx: ProcessContext, { leases, watched, wake }: SweepOptions) {
  const first: SweepPosition = { bucket: -1, workspace_id: nilId, webhook_id: nilId }
  let position = first
  let ofOwn = true
  let stepSize = 1000
  let steps = 0
  return {
    restart() {
      position = first
      ofOwn = true
    },
    async step() {
      const buckets = ofOwn ? leases.buckets() : watched()
      if (buckets.length === 0) return
      const swept = await sweepLanes(ctx, buckets, position, ctx.now(), stepSize)
      wake(swept.filter(({ has_work }) => has_work))
      steps += 1
      const last = swept.at(-1)
      if (last && swept.length === stepSize) {
        position = last
        return
      }
      position = first
      ofOwn = false
      if (steps > sweepRoundSteps) stepSize = Math.min(2 * stepSize, sweepStepMax)
      steps = 0
    },
  }
}
