import { grantMonthlyCredits } from './features/acquisition/index.ts'
import { dropOldEntries } from './features/audit/index.ts'
import { rescheduleKind } from './features/campaigns/index.ts'
import {
  countSuccesses,
  dropOldPartitions,
  observeAttempt,
  observeBacklog,
  startDeliveryRunner,
} from './features/deliveries/index.ts'
import { dropOldErasures, erasureKind, runErasures } from './features/erasure/index.ts'
import { dropOldImports, ImportRunner, importKind } from './features/imports/index.ts'
import { startInboxRunner } from './features/inbox/index.ts'
import {
  dropOldLeadJobs,
  leadJobKind,
  rescheduleLeads,
  runLeadJobs,
} from './features/leads/index.ts'
import { MailboxOwner } from './features/mailbox-lanes/index.ts'
import { flushTokens } from './features/mailboxes/index.ts'
import { dropOldInvitations } from './features/members/index.ts'
import { dropOldMessages, renewThreadWords } from './features/messages/index.ts'
import { cleanUpMoves } from './features/moves/index.ts'
import {
  forgetDroppedReplies,
  type LastSeenFile,
  startSendingRunner,
} from './features/sending/index.ts'
import { unsubscribeWaiting } from './features/tracking/index.ts'
import { dropOldSessions } from './features/users/index.ts'
import { dropUnusedUrls } from './features/webhooks/index.ts'
import { dropOldCalls } from './features/webhooks/try-out/index.ts'
import { listWorkspaceIdsHere } from './features/workspaces/index.ts'
import { aroundPooler, inWorkspace, type ProcessContext } from './kernel/context.ts'
import { dropOldAnswers } from './kernel/http/kept-answers.ts'
import { describeError } from './kernel/log.ts'
import { createBusyShare } from './kernel/runner/busy-share.ts'
import type { ListenForHints } from './kernel/runner/hint.ts'
import { startJob } from './kernel/runner/job.ts'
import { bucketsOf, startLeader, withoutLeader } from './kernel/runner/leader.ts'
import { startLoop } from './kernel/runner/loop.ts'
import { ensurePartitions } from './partitions.ts'

export interface Runner {
  /** Ends what is under way and gives the leases back. */
  stop(): Promise<void>
}

const upkeepEveryMs = 3_600_000
const waitingEveryMs = 5_000
const successesEveryMs = 60_000
/** In this time a machine that woke at a wrong time is told the right one. */
const clockSettlesMs = 600_000

/**
 * Starts the loops of the runner: deliveries, sending, reading mail, jobs and upkeep. One that fails to start leaves nothing behind: else it would lead, and keep mailboxes,
 * without working.
 */
export async function startRunner(
  ctx: ProcessContext,
  options: { listen?: ListenForHints; marker?: LastSeenFile } = {},
): Promise<Runner> {
  await using stack = new AsyncDisposableStack()
  // Last, and before the database is closed, which may be one of the runner's own.
  stack.defer(flushTokens)
  // What fails in one of them keeps no other from writing its results.
  const end = (part: Runner) =>
    part.stop().catch((error) => ctx.log.warn(describeError(error), 'a runner did not end well'))
  const hints = await shareHints(options.listen)
  const leader = hints.listen ? await startLeader(ctx, hints.listen) : undefined
  if (leader) stack.defer(() => end(leader))
  const { scope } = leader ?? { scope: withoutLeader }
  const { marker } = options
  const owner = new MailboxOwner(ctx)
  stack.defer(() => end(owner))
  const successes = countSuccesses(ctx)
  // Of the last minute when all has ended.
  stack.defer(successes.tell)
  const stopping = new AbortController()
  const loops: Runner[] = []
  stack.defer(async () => {
    stopping.abort()
    await Promise.all(loops.map(end))
  })
  const started = <Loop extends Runner>(loop: Loop): Loop => {
    loops.push(loop)
    return loop
  }
  await unsubscribeBefore(ctx)
  // First, because it looks whether the database was put back: then nothing must leave it.
  const sending = started(
    await startSendingRunner(ctx, owner, {
      ...{ ...hints, scope },
      ...(marker ? { marker } : {}),
    }),
  )
  ctx.metrics.gauge('outrider_mailboxes_awake', sending.lanesAwake)
  ctx.metrics.gauge('outrider_sending_held', () => Number(sending.isHeld()))
  const { holdsAll } = sending
  const deliveries = started(
    await startDeliveryRunner(ctx, {
      ...{ ...hints, scope, holdsAll },
      onAttempt: (attempt) => {
        observeAttempt(ctx, attempt)
        successes.count(attempt)
      },
      busyShare: createBusyShare(),
    }),
  )
  started(startLoop(ctx, 'successes', successesEveryMs, async () => successes.tell()))
  observeBacklog(ctx, () => bucketsOf(scope(), deliveries.buckets()))
  ctx.metrics.gauge('outrider_lanes_leased', deliveries.lanesWithWork)
  ctx.metrics.gauge('outrider_results_refused', deliveries.resultsRefused)
  const inboxes = started(startInboxRunner(ctx, owner, { ...hints, scope, holdsAll }))
  ctx.metrics.gauge('outrider_mailboxes_read', inboxes.mailboxesRead)
  ctx.metrics.gauge('outrider_mailboxes_waiting', inboxes.mailboxesWaiting)
  ctx.metrics.gauge('outrider_imap_connections', inboxes.imapConnections)
  startJobsAndUpkeep(ctx, { ...hints, scope, buckets: owner.buckets }, started, stopping.signal)
  const owned = stack.move()
  return { stop: () => owned.disposeAsync() }
}

/** Work that somebody has asked for, and what one process does for all. */
function startJobsAndUpkeep(
  ctx: ProcessContext,
  shares: Pick<Parameters<typeof startJob>[2], 'listen' | 'scope' | 'buckets'>,
  started: <Loop extends Runner>(loop: Loop) => Loop,
  signal: AbortSignal,
) {
  const startUpkeep = (name: string, work: () => Promise<void>, everyMs = upkeepEveryMs) =>
    started(
      startLoop(ctx, name, everyMs, async () => {
        if (shares.scope() !== 'none') await work()
      }),
    )
  const startJobs = (kind: string, work: Pick<Parameters<typeof startJob>[2], 'look' | 'isFull'>) =>
    started(startJob(ctx, kind, { ...shares, ...work }))
  startJobs(rescheduleKind, { look: () => rescheduleLeads(ctx, signal) })
  startJobs(leadJobKind, { look: () => runLeadJobs(ctx, signal) })
  const imports = started(new ImportRunner(ctx))
  startJobs(importKind, { look: () => imports.look(), isFull: () => imports.isFull })
  startJobs(erasureKind, { look: () => runErasures(ctx, signal) })
  const settled = ctx.sleep(clockSettlesMs, signal)
  /** What goes by the time alone and cannot be taken back: a clock may be months ahead at first. */
  const startFinalUpkeep = (name: string, work: () => Promise<void>) =>
    startUpkeep(name, async () => {
      await settled
      if (!signal.aborted) await work()
    })
  startFinalUpkeep('credits', () => grantMonthlyCredits(ctx))
  startUpkeep('words of conversations', async () => {
    for (const id of await listWorkspaceIdsHere(ctx)) {
      const own = inWorkspace(ctx, id)
      await renewThreadWords(own, id, signal)
      await forgetDroppedReplies(own, id)
    }
  })
  startUpkeep('unsubscribes', () => unsubscribeWaiting(ctx, signal), waitingEveryMs)
  startUpkeep('upkeep', async () => {
    await ensurePartitions(aroundPooler(ctx))
    await cleanUpMoves(aroundPooler(ctx))
  })
  startFinalUpkeep('retention', () => dropOld(aroundPooler(ctx)))
}

/**
 * Who was told that they are unsubscribed while this database was away must not get what is due by now.
 * Without the first one, which has kept it, the others go on.
 */
async function unsubscribeBefore(ctx: ProcessContext) {
  const first = ctx.shards?.first.ctx
  if (!first || first.shard === ctx.shard) return
  await unsubscribeWaiting(first).catch((error) =>
    ctx.log.warn(describeError(error), 'kept unsubscribes were not looked at'),
  )
}

/** One connection hears the hints for all that wait for them, until the last one has stopped. */
async function shareHints(
  listen: ListenForHints | undefined,
): Promise<{ listen?: ListenForHints }> {
  if (!listen) return {}
  const waiting = new Set<(hint: string) => void>()
  const unlisten = await listen((hint) => {
    for (const wake of waiting) wake(hint)
  })
  return {
    async listen(wake) {
      waiting.add(wake)
      return async () => {
        waiting.delete(wake)
        if (waiting.size === 0) await unlisten().catch(() => undefined)
      }
    },
  }
}

/** Nothing longer than it has to be kept. */
async function dropOld(ctx: ProcessContext) {
  await dropOldPartitions(ctx)
  await dropOldMessages(ctx)
  await dropOldAnswers(ctx)
  await dropOldSessions(ctx)
  for (const id of await listWorkspaceIdsHere(ctx)) {
    const own = inWorkspace(ctx, id)
    await dropOldEntries(own, id)
    await dropOldCalls(own, id)
    await dropUnusedUrls(own, id)
    await dropOldLeadJobs(own, id)
    await dropOldImports(own, id)
    await dropOldErasures(own, id)
    await dropOldInvitations(own, id)
  }
}
