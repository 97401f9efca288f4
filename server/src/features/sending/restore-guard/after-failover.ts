import type { ProcessContext } from '../../../kernel/context.ts'
import {
  answerWithinMs,
  decideWithinMs,
  endsByItself,
  type HoldReason,
  isFailedOver,
  isFailover,
  namesMails,
} from './detect-restore.ts'
import * as failover from './failover-queries.ts'
import type { SendingInstance } from './hold-queries.ts'
import type { LastSeen } from './marker-file.ts'
import type { RememberedMarks } from './remembered-marks.ts'

/** Time for who began so lately that the new primary does not know of it: it comes forward. */
const settleMs = 3_000
/** Of missing mails, in one line of the log. */
const loggedMax = 20

/** What is known of the database before a look at it. */
export interface Known {
  instance: SendingInstance | undefined
  lastSeen: LastSeen | undefined
  /** Of the workspaces of one that took over; undefined: it was not asked, or not everybody answered. */
  isInSeveral: boolean | undefined
}

/** The process that judges. */
interface FailoverJudge {
  senderId: string
  /** What it has marked lately. */
  marked: RememberedMarks
  /** Other processes that sent when it looked last. */
  others: string[]
  /** Whether it has told already that it knew the one which this database took over from. */
  knewBefore: (found: SendingInstance) => boolean
}

/**
 * The epoch stays what it was in the standby until all have asked: each compares it with its own.
 *
 * @param known.instance of the old primary, when this process has not asked for its marks yet
 * @param known.lastSeen what an earlier process left on this machine, for one that has just started
 */
export async function judgeFailover(
  tx: ProcessContext,
  found: SendingInstance,
  { instance: asked, lastSeen, isInSeveral }: Known,
  judge: FailoverJudge,
): Promise<{ instance: SendingInstance; knowsBefore: boolean }> {
  const left = lastSeen?.id === found.id ? lastSeen.epoch : undefined
  const isBehind = (left ?? 0) > (found.failover_epoch ?? 0)
  const missed = asked ? await findMissedReason(tx, found, asked, judge) : null
  const held = {
    ...found,
    ...heldFor(missed ?? (isBehind ? 'database_went_back' : null), found, tx),
  }
  const isAskedNow = asked !== undefined || left !== undefined
  const knowsBefore = isAskedNow || judge.knewBefore(found)
  const instance = knowsBefore
    ? await onceAllHaveAsked(tx, held, isInSeveral, judge)
    : holdUnknown(held, tx)
  return { instance, knowsBefore }
}

async function onceAllHaveAsked(
  tx: ProcessContext,
  found: SendingInstance,
  isInSeveral: boolean | undefined,
  { senderId }: FailoverJudge,
): Promise<SendingInstance> {
  if (!isFailedOver(found) || Number(found.failover_ms) < settleMs) return found
  const isOver = Number(found.failover_ms) >= answerWithinMs
  const unasked = await failover.countUnaskedSenders(tx.db, senderId)
  if (unasked > 0) {
    return { ...found, ...(isOver ? heldFor('sender_unasked', found, tx) : {}) }
  }
  // Each of the shards would send for it. While one is silent nobody knows.
  if (isInSeveral) return { ...found, ...heldFor('another_database', found, tx) }
  if (found.sending_held_since && !endsByItself(found.sending_held_reason)) return found
  if (isInSeveral === undefined) {
    return { ...found, ...(isOver ? heldFor('shard_unasked', found, tx) : {}) }
  }
  return {
    ...found,
    ...{ sending_held_since: null, sending_held_reason: null },
    sending_identity: found.current_identity,
    sending_epoch: found.sending_epoch + 1,
  }
}

/** Why sending is held where this database lacks what this process has marked; null: it has all of it. */
async function findMissedReason(
  tx: ProcessContext,
  found: SendingInstance,
  seen: SendingInstance,
  { marked, others }: FailoverJudge,
): Promise<HoldReason | null> {
  // There was another failover before that, about which nobody asked this process.
  if (seen.current_identity !== found.failover_from) return 'another_database'
  const marks = marked.after(found.failover_epoch ?? 0)
  if (!marks) return 'database_went_back'
  // What others had begun since then, the new primary does not know of: who is alive comes forward.
  if (seen.sending_epoch > (found.failover_epoch ?? 0)) {
    await failover.insertUnaskedSenders(tx.db, others, seen.current_identity)
  }
  const missing = await failover.findMissingMarks(tx.db, marks)
  if (missing.length === 0) return null
  await failover.insertMissingMarks(tx.db, missing)
  const ids = missing.map(({ workspace_id, lead_id, step_id, id }) => ({
    ...{ workspace_id, lead_id, step_id, id },
  }))
  tx.log.error(
    { missing: missing.length, mails: ids.slice(0, loggedMax) },
    'the new primary lacks mails that were sent',
  )
  return 'mails_missing'
}

/** Since this process looked last, a standby took over; where a person was faster, nobody asks. */
export const isAskedAfterFailover = (found: SendingInstance, known: SendingInstance) =>
  isFailover(known.current_identity, found.current_identity) &&
  found.failover_identity === found.current_identity

/** Nobody is there who knew the database before: it may as well have been put back by days. */
const holdUnknown = (found: SendingInstance, tx: ProcessContext) => {
  const isOver = isFailedOver(found) && Number(found.failover_ms) >= decideWithinMs
  if (!isOver || found.sending_held_since) return found
  return { ...found, ...heldFor('another_database', found, tx) }
}

/** Of several reasons the first is told, unless it leaves open what may have been lost, or ends by itself. */
export const heldFor = (
  reason: HoldReason | null,
  { sending_held_since, sending_held_reason }: SendingInstance,
  { now }: ProcessContext,
) => {
  const isTold =
    sending_held_reason === null ||
    namesMails(sending_held_reason) ||
    endsByItself(sending_held_reason)
  return {
    sending_held_since: sending_held_since ?? (reason && now()),
    sending_held_reason: isTold ? (reason ?? sending_held_reason) : sending_held_reason,
  }
}
