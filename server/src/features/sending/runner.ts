import type { Context } from '../../kernel/context.ts'
import { readDatabaseTime } from '../../kernel/db/instance.ts'
import { isHintFor } from '../../kernel/runner/hint.ts'
import { Leases } from '../../kernel/runner/leases.ts'
import { startLoop } from '../../kernel/runner/loop.ts'
import { createMarkedWaker, leaseKind } from '../mailbox-lanes/index.ts'
import { findWokenLanes, sweepWokenLanes } from './cross-workspace.ts'
import { Lanes, type LanesOptions } from './lanes.ts'
import { UncertainMails } from './reconcile.ts'
import type { RestoreMarker } from './restore-guard/marker-file.ts'
import { RestoreGuard } from './restore-guard/restore-guard.ts'
import { createWriters } from './writers.ts'

export interface SendingRunnerOptions extends Pick<LanesOptions, 'onSettled'> {
  /** Calls back on every hint that something is due; resolves to the end of listening. */
  listen?: (onHint: (hint: string) => void) => Promise<() => Promise<void>>
  /** Tells from outside of the database whether it was put back. */
  marker?: RestoreMarker
}

export interface SendingRunner {
  lanesAwake: () => number
  /** Until a person confirms that the database is the right one. */
  isHeld: () => boolean
  /** Ends what is under way for at most this long, releases the leases and resolves. */
  stop: (withinMs?: number) => Promise<void>
}

const pollEveryMs = 250
/** A transaction that committed up to so long after it woke a lane is found by the next poll. */
const overlapMs = 2_000
const hintOverlapMs = 200
const sweepEveryMs = 1_000
const reconcileEveryMs = 15_000
const watchEveryMs = 1_000
const linksEveryMs = 5_000
/** Buckets of one step of the sweep: with all of them a round takes half a minute. */
const sweepBuckets = 9

/**
 * Sends what is due from the mailboxes whose buckets this process owns. Hints and a poll find the
 * campaigns that got leads, whose lanes are woken, and the lanes that were woken since the last one; a sweep of all buckets finds what a late commit hid from
 * the poll, and what the last owner of a bucket was in the middle of.
 */
export async function startSendingRunner(
  ctx: Context,
  options: SendingRunnerOptions = {},
): Promise<SendingRunner> {
  const watch = new RestoreGuard(ctx, options.marker)
  await watch.look()
  const leases: Leases = new Leases(ctx, leaseKind, {
    taken: (buckets) => {
      sweep.first(buckets)
      sweeping.wake()
    },
    lost: () => undefined,
    drained: (buckets) => lanes.drain(buckets, drainMs),
  })
  let drainMs = 20_000
  const writers = createWriters(ctx, watch, await readDatabaseTime(ctx.db))
  await writers.links.look()
  const lanes = new Lanes(ctx, writers, {
    ...options,
    tokenOf: (bucket) => (leases.holds(bucket) ? leases.token(bucket) : undefined),
  })
  const sweep = createSweep(ctx, leases, lanes)
  const poll = createPoll(ctx, leases, lanes)

  const sweeping = startLoop(ctx, 'mailbox sweep', sweepEveryMs, () => sweep.step())
  const uncertain = new UncertainMails(ctx, writers.settlements)
  const reconciling = startLoop(ctx, 'uncertain mails', reconcileEveryMs, async () => {
    if (!watch.isHeld) await uncertain.begin(leases.buckets())
  })
  const watching = startLoop(ctx, 'database watch', watchEveryMs, async () => {
    if (!(await watch.lookWhenDue())) return
    sweep.first(leases.buckets())
    sweeping.wake()
  })
  const looking = startLoop(ctx, 'link address', linksEveryMs, async () => {
    await writers.links.look()
  })
  const heartbeat = startLoop(ctx, 'mailbox leases', ctx.config.leaseMs / 3, () => leases.beat())
  const discover = startLoop(ctx, 'woken mailboxes', pollEveryMs, async (hinted) => {
    lanes.tick()
    await poll(hinted)
  })
  const wakeMarked = createMarkedWaker(ctx)
  const waking = startLoop(ctx, 'woken campaigns', pollEveryMs, wakeMarked)
  const unlisten = await options.listen?.((hint) => {
    if (!isHintFor(hint, leaseKind, leases.buckets())) return
    discover.wake()
    waking.wake()
  })

  return {
    lanesAwake: () => lanes.size,
    isHeld: () => watch.isHeld,
    async stop(withinMs = 5_000) {
      drainMs = withinMs
      await unlisten?.()
      const loops = [heartbeat, waking, discover, sweeping, reconciling, watching, looking]
      await Promise.all(loops.map((loop) => loop.stop()))
      await uncertain.idle(withinMs)
      await leases.release()
      await Promise.all([writers.connections.closeAll(), writers.copies.stop(withinMs)])
    },
  }
}

function createPoll(ctx: Context, leases: Leases, lanes: Lanes) {
  let polledTo = new Date(ctx.now().getTime() - overlapMs)
  return async (hinted: boolean) => {
    const to = ctx.now()
    const from = new Date(polledTo.getTime() - (hinted ? hintOverlapMs : overlapMs))
    for (const lane of await findWokenLanes(ctx.db, leases.buckets(), from, to)) {
      lanes.wake(lane.workspace_id, lane.mailbox_id)
    }
    polledTo = to
  }
}

/** New buckets at once: their lanes may have stood still since their last owner died. */
function createSweep(ctx: Context, leases: Leases, lanes: Lanes) {
  let taken: number[] = []
  let waiting: number[] = []
  return {
    first(buckets: number[]) {
      taken.push(...buckets)
    },
    async step() {
      if (waiting.length === 0) waiting = leases.buckets()
      const buckets = [...taken, ...waiting.splice(0, sweepBuckets)]
      taken = []
      for (const lane of await sweepWokenLanes(ctx.db, buckets, ctx.now())) {
        lanes.wake(lane.workspace_id, lane.mailbox_id)
      }
    },
  }
}
