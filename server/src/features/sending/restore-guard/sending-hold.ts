import type { Context, ProcessContext } from '../../../kernel/context.ts'
import type { AnyDb } from '../../../kernel/db/db.ts'
import { lockInstance } from '../../../kernel/db/instance.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { AppError } from '../../../kernel/errors.ts'
import { hintDue } from '../../../kernel/runner/hint.ts'
import { shardNameOf } from '../../../kernel/shards/ask.ts'
import { counted } from '../../../kernel/text.ts'
import {
  countOpenSends,
  countUncertainSends,
  deleteMissingMarks,
  listMissingMails,
  type MissingMail,
  type RestoreEffects,
  readRestoreEffects,
} from '../cross-workspace.ts'
import {
  answerWithinMs,
  endsByItself,
  type HoldReason,
  holdReasons,
  holdsAll,
  isFailedOver,
  isFailover,
  namesMails,
} from './detect-restore.ts'
import { countUnaskedSenders } from './failover-queries.ts'
import { findSendingInstance, type SendingInstance, updateSendingInstance } from './hold-queries.ts'

/**
 * No mail leaves this database by any process; and no webhook, nor a login to a mailbox, unless it is
 * a standby that took over and no operator holds it.
 */
export interface SendingHold {
  since: Date
  reason: HoldReason
  /** Whatever the reason is. */
  by_operator: boolean
  /** For a person. */
  detail: string
}

/** Null: it is not held. */
export async function findSendingHold(db: AnyDb): Promise<SendingHold | null> {
  const instance = await findSendingInstance(db)
  return instance ? holdOf(instance) : null
}

function holdOf({ sending_held_since: since, ...held }: SendingInstance): SendingHold | null {
  if (!since) return null
  const { sending_held_reason, sending_held_by_operator: by_operator } = held
  const reason = sending_held_reason as HoldReason
  const besides = by_operator && reason !== 'operator' ? ` ${holdReasons.operator}, too.` : ''
  return { since, reason, by_operator, detail: `${holdReasons[reason]}.${besides}` }
}

/** Who asks for something that leaves it is refused as the runners refuse it to themselves. */
export async function refuseWhileHeld({ db }: Context): Promise<void> {
  const instance = await findSendingInstance(db)
  if (!instance) return
  const hold = holdOf(instance)
  if (hold && holdsAll(instance)) {
    throw new AppError(
      'not_ready',
      `${hold.detail} Until an operator confirms that it is the right one, nothing leaves it: no mail, no webhook, no login to a mailbox, no question to the contact provider.`,
    )
  }
  if (!hold && isUnknown(instance)) {
    throw new AppError(
      'not_ready',
      'This database is not the one that was sent from last, and no runner has looked at it yet: start one, or wait a moment.',
    )
  }
}

const isUnknown = ({ sending_identity: known, current_identity }: SendingInstance) =>
  known !== null && known !== current_identity && !isFailover(known, current_identity)

/** Whether it is held, or will be once a process has seen that it is not the one that was sent from. */
export async function mayNotSend(db: AnyDb): Promise<boolean> {
  const instance = await findSendingInstance(db)
  if (!instance) return false
  const { sending_held_since, sending_identity, current_identity } = instance
  return (
    sending_held_since !== null ||
    (sending_identity !== null && sending_identity !== current_identity)
  )
}

/**
 * Holds all sending until it is confirmed: before a machine is put back to a snapshot, which holds
 * everything that could tell.
 */
export const holdSending = (ctx: ProcessContext): Promise<SendingHold> =>
  transaction(ctx, async (tx) => {
    const instance = await lockedInstance(tx)
    if (!instance) throw new Error('The database has no instance: start the server once.')
    // What ends by itself would end before a person has confirmed it.
    const isFirst = !instance.sending_held_since || endsByItself(instance.sending_held_reason)
    await updateSendingInstance(tx.db, {
      ...instance,
      ...(isFirst ? { sending_held_since: tx.now(), sending_held_reason: 'operator' } : {}),
      sending_held_by_operator: true,
    })
    const hold = await findSendingHold(tx.db)
    if (!hold) throw new Error('The hold was not written.')
    // Webhooks and mailboxes go on in each process until it has looked.
    tx.afterCommit?.(hintDue)
    return hold
  })

/** For the person who confirms: what the hold is about, and what leaves when it ends. Null: not held. */
export async function previewRestore(
  ctx: ProcessContext,
): Promise<(RestoreEffects & { hold: SendingHold; missing: MissingMail[]; seen: string }) | null> {
  const { db, now } = ctx
  const hold = await findSendingHold(db)
  if (!hold) return null
  const missing = await listMissingMails(db)
  const seen = seenOf(ctx, hold, missing)
  return { hold, missing, seen, ...(await readRestoreEffects(db, now())) }
}

/** What a person has looked at: another one as soon as more turns up, and of each hold and database. */
const seenOf = (
  ctx: ProcessContext,
  { since, reason, by_operator }: SendingHold,
  missing: MissingMail[],
) => {
  const reasons = by_operator && reason !== 'operator' ? `${reason}+operator` : reason
  return [shardNameOf(ctx), since.toISOString(), reasons, missing.length].join('.')
}

export const changedSince = () =>
  new AppError(
    'not_ready',
    'What holds sending has changed since it was shown. Look at it again, and confirm that.',
  )

/**
 * A person has looked: sending goes on by this database.
 *
 * @param seen of the preview that the person was shown; undefined: whatever is missing, it goes on
 * @returns how many mails wait for a person, and count as sent until then
 */
export const confirmRestore = (
  ctx: ProcessContext,
  seen?: string,
): Promise<{ uncertain: number }> =>
  transaction(ctx, async (tx) => {
    await lockInstance(tx.db)
    const instance = await requireConfirmable(tx, seen)
    await deleteMissingMarks(tx.db)
    await updateSendingInstance(tx.db, {
      ...instance,
      sending_identity: instance.current_identity,
      sending_epoch: instance.sending_epoch + 1,
      sending_held_since: null,
      sending_held_reason: null,
      sending_held_by_operator: false,
    })
    tx.afterCommit?.(hintDue)
    return { uncertain: await countUncertainSends(tx.db) }
  })

/**
 * What was under way when it was held has to be settled before it ends, so that nothing of it is taken
 * for unsent.
 *
 * @throws AppError while the hold cannot be confirmed, or not by who has seen this
 */
export async function requireConfirmable(
  ctx: ProcessContext,
  seen: string | undefined,
): Promise<SendingInstance> {
  const instance = await findSendingInstance(ctx.db)
  const hold = instance && holdOf(instance)
  if (!instance || !hold) {
    throw new AppError('invalid_transition', 'Sending is not held: there is nothing to confirm.')
  }
  await checkAsked(ctx, instance)
  const open = await countOpenSends(ctx.db)
  if (open > 0) {
    throw new AppError(
      'not_ready',
      `${counted(open, 'mail that was under way is', 'mails that were under way are')} not settled yet: a runner does it within a minute. Start one, or wait.`,
    )
  }
  const found = seenOf(ctx, hold, await listMissingMails(ctx.db))
  if (seen !== undefined && seen !== found) throw changedSince()
  return instance
}

/**
 * Who is alive names what is missing within seconds, and a runner tells of who is dead: a person must
 * not confirm before it is known.
 */
async function checkAsked({ db }: ProcessContext, instance: SendingInstance) {
  const { failover_ms, sending_held_reason: reason } = instance
  const isOver = Number(failover_ms) >= answerWithinMs && !namesMails(reason ?? '')
  if (!isFailedOver(instance) || isOver) return
  const unasked = await countUnaskedSenders(db, null)
  if (unasked === 0) return
  throw new AppError(
    'not_ready',
    `${counted(unasked, 'process that sent before the failover has', 'processes that sent before the failover have')} not said yet what is missing, and says so, or is taken for dead, within half a minute. Wait.`,
  )
}

/** Undefined: no server was ever started on this database. */
async function lockedInstance(tx: ProcessContext) {
  await lockInstance(tx.db)
  return findSendingInstance(tx.db)
}
