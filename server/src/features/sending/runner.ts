import type { ProcessContext } from '../../kernel/context.ts'
import { column } from '../../kernel/db/column.ts'
import { readDatabaseTime } from '../../kernel/db/instance.ts'
import { hintDue, type LaneName, type ListenForHints, readHint } from '../../kernel/runner/hint.ts'
import { bucketsOf, type Scope, wakeOwners, withoutLeader } from '../../kernel/runner/leader.ts'
import { allBuckets } from '../../kernel/runner/leases.ts'
import { startLoop } from '../../kernel/runner/loop.ts'
import { createPoll } from '../../kernel/runner/poll.ts'
import {
  campaignKind,
  createMarkedWaker,
  type LaneKey,
  leaseKind,
  type MailboxOwner,
} from '../mailbox-lanes/index.ts'
import { findUncertainBuckets, findWokenLanes, sweepWokenLanes } from './cross-workspace.ts'
import { Lanes, type LanesOptions } from './lanes/lanes.ts'
import { createSenderParts } from './lanes/sender-parts.ts'
import { wakeInterrupted } from './lanes/wake-interrupted.ts'
import { withdrawReplies } from './replies/replies.ts'
import type { LastSeenFile } from './restore-guard/marker-file.ts'
import { RestoreGuard } from './restore-guard/restore-guard.ts'
import { UncertainMails } from './uncertain/reconcile.ts'

export interface SendingRunnerOptions extends Pick<LanesOptions, 'onSettled'> {
  listen?: ListenForHints
  /** Which mailboxes it looks for; its own, if it is not given. */
  scope?: () => Scope
  /** Tells from outside of the database whether it was put back. */
  marker?: LastSeenFile
}

export interface SendingRunner {
  lanesAwake: () => number
  /** Until a person confirms that the database is the right one. */
  isHeld: () => boolean
  /** Then webhooks and the reading of mailboxes wait, too. */
  holdsAll: () => boolean
  /** Ends what is under way for at most this long, and resolves. */
  stop: (withinMs?: number) => Promise<void>
}

/** The kind of hints that mails are uncertain, which the owner of their mailbox looks for. */
const uncertainKind = 'uncertain'
const drainTimeoutMs = 20_000
const tickEveryMs = 250
const pollEveryMs = 500
const sweepEveryMs = 1_000
const reconcileEveryMs = 15_000
const watchEveryMs = 1_000
const withdrawEveryMs = 5_000
/** Buckets of one step of the sweep: with all of them a round takes half a minute. */
const sweepBuckets = 9

/**
 * Sends what is due from the mailboxes that this process owns. Hints name the mailboxes that were
 * woken, and tell of campaigns that got leads, whose mailboxes are woken then. A poll finds what
 * no hint told; a sweep of all buckets what a late commit hid from the poll, and what the last owner of
 * a bucket was in the middle of. The leader polls and sweeps for all, and hints to the others.
 */
export async function startSendingRunner(
  ctx: ProcessContext,
  owner: MailboxOwner,
  options: SendingRunnerOptions = {},
): Promise<SendingRunner> {
  const { scope = withoutLeader } = options
  const guard = new RestoreGuard(ctx, options.marker)
  await guard.look()
  const parts = createSenderParts(ctx, guard, await readDatabaseTime(ctx.db), owner)
  let isStopping = false
  const lanes = new Lanes(ctx, parts, {
    ...options,
    tokenOf: (bucket) => (isStopping ? undefined : owner.token(bucket)),
  })
  /** The buckets that are looked at now. */
  const watched = () => bucketsOf(scope(), owner.buckets())
  const wakeLane = ({ workspaceId, id }: LaneName) => lanes.wake(workspaceId, id)
  const wake = (found: LaneKey[]) =>
    wakeOwners(
      ctx,
      { kind: leaseKind, own: owner.buckets(), wake: wakeLane },
      found.map((lane) => ({ workspaceId: lane.workspace_id, id: lane.mailbox_id })),
    )
  const sweep = createSweep(ctx, watched, wake)
  const find = async (buckets: number[], from: Date, to: Date) =>
    wake(await findWokenLanes(ctx.db, buckets, from, to))
  const poll = createPoll(ctx, find, pollEveryMs)

  const sweeping = startLoop(ctx, 'mailbox sweep', sweepEveryMs, () => sweep.step())
  const uncertain = new UncertainMails(ctx, parts.settlements, owner)
  const reconciling = startLoop(ctx, 'uncertain mails', reconcileEveryMs, async (told) => {
    if (guard.isHeld || (scope() === 'none' && !told)) return
    await uncertain.begin(owner.buckets())
    if (scope() === 'all') await hintUncertain(ctx, owner.buckets())
  })
  const guarding = startLoop(ctx, 'database watch', watchEveryMs, async () => {
    if (!(await guard.lookWhenDue())) return
    lanes.doubtAll()
    sweep.first(owner.buckets())
    sweeping.wake()
  })
  const discover = startLoop(ctx, 'woken mailboxes', tickEveryMs, async (hinted) => {
    lanes.tick()
    const buckets = hinted && scope() === 'none' ? owner.buckets() : watched()
    if (buckets.length > 0) await suspectOnFailure(guard, () => poll(buckets, hinted))
  })
  const wakeMarked = createMarkedWaker(ctx)
  const waking = startLoop(ctx, 'woken campaigns', tickEveryMs, async (hinted) => {
    if (scope() !== 'none') await wakeMarked(hinted)
  })
  const withdrawing = startLoop(ctx, 'answers that nobody sends', withdrawEveryMs, async () => {
    if (scope() !== 'none') await withdrawReplies(ctx)
  })
  const unlisten = await options.listen?.((text) => {
    // For everybody: a person confirmed, or hints were missed while the connection was away.
    if (text === '') {
      guard.suspect()
      guarding.wake()
    }
    const hint = readHint(text, leaseKind, owner.buckets())
    for (const lane of hint?.lanes ?? []) wakeLane(lane)
    if (hint?.isToLook) discover.wake()
    if (readHint(text, campaignKind, watched())) waking.wake()
    if (readHint(text, uncertainKind, owner.buckets())) reconciling.wake()
  })
  const end = owner.begin({
    taken: (buckets) => {
      sweep.first(buckets)
      sweeping.wake()
    },
    drained: (buckets) => lanes.drain(drainTimeoutMs, buckets),
  })

  return {
    lanesAwake: () => lanes.size,
    isHeld: () => guard.isHeld,
    holdsAll: () => guard.holdsAll,
    async stop(withinMs = 5_000) {
      isStopping = true
      await unlisten?.()
      const loops = [waking, discover, sweeping, reconciling, guarding, withdrawing]
      await Promise.all(loops.map((loop) => loop.stop()))
      await uncertain.idle(withinMs)
      await lanes.drain(withinMs)
      if (lanes.size === 0) await guard.leave()
      end()
      await Promise.all([parts.connections.closeAll(), parts.copies.stop(withinMs)])
    },
  }
}

/** What fails may do so because another database has taken the place of this one. */
async function suspectOnFailure(guard: RestoreGuard, work: () => Promise<void>) {
  try {
    await work()
  } catch (error) {
    guard.suspect()
    throw error
  }
}

async function hintUncertain(ctx: ProcessContext, own: number[]) {
  const others = allBuckets.filter((bucket) => !own.includes(bucket))
  const buckets = others.length > 0 ? await findUncertainBuckets(ctx.db, others, ctx.now()) : []
  if (buckets.length > 0) hintDue(ctx, { kind: uncertainKind, buckets: column(buckets, 'bucket') })
}

/** New buckets at once: their lanes may have stood still since their last owner died. */
function createSweep(
  ctx: ProcessContext,
  watched: () => number[],
  wake: (found: LaneKey[]) => void,
) {
  const taken: number[] = []
  let waiting: number[] = []
  return {
    first(buckets: number[]) {
      taken.push(...buckets)
    },
    async step() {
      if (waiting.length === 0) waiting = [...watched()]
      const first = taken.splice(0)
      const buckets = [...first, ...waiting.splice(0, sweepBuckets)]
      try {
        if (first.length > 0) await wakeInterrupted(ctx, first)
        if (buckets.length > 0) wake(await sweepWokenLanes(ctx.db, buckets, ctx.now()))
      } catch (error) {
        taken.push(...first)
        throw error
      }
    },
  }
}
