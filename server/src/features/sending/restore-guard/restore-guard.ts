import type { ProcessContext } from '../../../kernel/context.ts'
import { lockInstance } from '../../../kernel/db/instance.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { describeError } from '../../../kernel/log.ts'
import { hasOneInSeveral } from '../../workspaces/index.ts'
import {
  answerWithinMs,
  decideWithinMs,
  detectRestore,
  endsByItself,
  type HoldReason,
  isFailover,
  isOfFailover,
  namesMails,
} from './detect-restore.ts'
import * as failover from './failover-queries.ts'
import * as queries from './hold-queries.ts'
import type { LastSeen, LastSeenFile } from './marker-file.ts'
import { RememberedMarks } from './remembered-marks.ts'

const lookEveryMs = 15_000
/** Four looks: who has missed them is dead. */
const deadAfterMs = 60_000
/** Time for who began so lately that the new primary does not know of it: it comes forward. */
const settleMs = 3_000
/** Of missing mails, in one line of the log. */
const loggedMax = 20

/** Without a file: what this process has seen itself. */
const nobody: LastSeenFile = {
  ownsDatabase: false,
  recall: async () => undefined,
  note: async () => undefined,
}

/** What a look found. */
interface Look {
  instance: queries.SendingInstance
  /** This process was asked for its marks by a database that took over. */
  wasAsked: boolean
  /** This process, or one before it on this machine, knew the one that this database took over from. */
  knowsBefore: boolean
  /** Other processes that send. */
  others: string[]
}

/** What is known of the database before a look at it. */
interface Known {
  instance: queries.SendingInstance | undefined
  lastSeen: LastSeen | undefined
  /** Of the workspaces of one that took over; undefined: it was not asked, or not everybody answered. */
  isInSeveral: boolean | undefined
}

/**
 * Looks whether the database is still the one that was sent from: at the start, and again and again
 * as long as the process lives. If not, it is written down there, and everybody holds.
 *
 * A standby that took over is asked whether it has what was sent from the old primary, by each process
 * for its own marks. Nothing is claimed or marked until all have asked:
 *
 *   sent from ──▶ asked: the identity is another one ──▶ sent from, by itself
 *                              └──▶ held: a mark is missing, somebody who sent does not answer,
 *                                   or a workspace is on another shard, too
 *
 * One that was put back to a point in time looks the same. Only who knows of the database from before
 * can tell the two apart, so a process that does not ends nothing: where there are no others, it is held.
 */
export class RestoreGuard {
  /** What this process has marked lately. */
  readonly marked = new RememberedMarks()
  readonly #ctx: ProcessContext
  readonly #marker: LastSeenFile
  readonly #senderId: string
  #instance: queries.SendingInstance | undefined
  /** Other processes that sent when it was looked last. */
  #others: string[] = []
  #lookedAtMs = Number.NEGATIVE_INFINITY
  #stretchSinceMs = Number.NEGATIVE_INFINITY
  #isSuspected = false
  #knowsBefore = false

  constructor(ctx: ProcessContext, marker: LastSeenFile = nobody) {
    this.#ctx = ctx
    this.#marker = marker
    this.#senderId = ctx.newId()
  }

  /** Nothing new is sent; what is under way is settled. */
  get isHeld(): boolean {
    return this.#instance?.sending_held_since != null
  }

  /** What leaves besides mails of campaigns, too: this may be a copy, beside which the original lives. */
  get holdsAll(): boolean {
    if (this.#isAsking) return !this.#knowsBefore
    return this.isHeld && !isOfFailover(this.#instance?.sending_held_reason)
  }

  /** The highest that this process has seen. */
  get epoch(): number {
    return this.#instance?.sending_epoch ?? 0
  }

  /** Of the database, as this process saw it last; null: it has not looked yet. */
  get identity(): string | null {
    return this.#instance?.current_identity ?? null
  }

  /** A failover is asked about. */
  get #isAsking(): boolean {
    const { sending_identity, current_identity } = this.#instance ?? {}
    return !this.isHeld && sending_identity !== current_identity
  }

  /** Something broke, or was refused, as when another database takes over: the next look is due now. */
  suspect() {
    this.#isSuspected = true
  }

  /**
   * Often while it is held, since a person waits for it, or a failover asked about.
   *
   * @returns whether what mailboxes were known to be in the middle of is to be looked for anew: another
   *   database has taken over, or sending goes on after it did not
   */
  async lookWhenDue(): Promise<boolean> {
    const isWaiting = this.isHeld || this.#isAsking
    const isDue = this.#ctx.monotonicMs() >= this.#lookedAtMs + lookEveryMs
    if (!isWaiting && !this.#isSuspected && !isDue) return false
    const wasAsked = await this.look()
    return wasAsked || (isWaiting && !this.isHeld && !this.#isAsking)
  }

  /** @returns whether the database had taken over from another one since the last look */
  async look(): Promise<boolean> {
    this.#lookedAtMs = this.#ctx.monotonicMs()
    this.#isSuspected = false
    const [wasHeld, wasAsking] = [this.isHeld, this.#isAsking]
    const lastSeen = await this.#marker.recall()
    // Asked before the transaction, which would hold its lock for as long as another database is silent.
    const asksShards = wasAsking || endsByItself(this.#instance?.sending_held_reason)
    const isInSeveral = asksShards ? await this.#askShards() : undefined
    const known = { instance: this.#instance, lastSeen, isInSeveral }
    this.#beginStretch()
    const found = await transaction(this.#ctx, (tx) => this.#lookIn(tx, known)).catch((error) => {
      this.suspect()
      throw error
    })
    this.#instance = found?.instance
    if (!found) return false
    const { instance, wasAsked, knowsBefore, others } = found
    this.#others = others
    this.#knowsBefore = knowsBefore
    if (wasAsked) this.marked.moveTo(instance.failover_epoch ?? 0)
    else if (!isFailedOver(instance)) this.marked.close(instance.sending_epoch)
    // Else the next start on this machine would take it for one that was known before.
    if (!this.#isAsking || knowsBefore) await this.#note(instance)
    this.#tell(instance, { wasHeld, wasAsking: wasAsking || wasAsked })
    return wasAsked
  }

  /** An error of another shard must not keep this process from looking at its own database. */
  async #askShards(): Promise<boolean | undefined> {
    try {
      return await hasOneInSeveral(this.#ctx)
    } catch (error) {
      this.#ctx.log.error(describeError(error), 'the other shards could not be asked')
      return undefined
    }
  }

  /** Nothing is under way any more: nobody has to wait for what this process would say. */
  async leave() {
    try {
      await failover.deleteSender(this.#ctx.db, this.#senderId)
    } catch (error) {
      this.#ctx.log.debug(describeError(error), 'a sender did not sign off')
    }
  }

  /** Looks that come more often, while something is waited for, do not shorten what is remembered. */
  #beginStretch() {
    if (this.#lookedAtMs < this.#stretchSinceMs + lookEveryMs) return
    this.#stretchSinceMs = this.#lookedAtMs
    this.marked.begin()
  }

  async #lookIn(
    tx: ProcessContext,
    { instance: seen, lastSeen, isInSeveral }: Known,
  ): Promise<Look | undefined> {
    await lockInstance(tx.db)
    let found = await queries.findSendingInstance(tx.db)
    if (!found) return undefined
    const known = seen?.id === found.id ? seen : undefined
    if (isFailedOver(found) && found.failover_identity !== found.current_identity) {
      await failover.noteFailover(tx.db, found)
      found = (await queries.findSendingInstance(tx.db)) ?? found
    }
    const wasAsked = known !== undefined && askedBy(found, known)
    const { instance, knowsBefore } =
      wasAsked || isFailedOver(found)
        ? await this.#afterFailover(tx, found, {
            instance: wasAsked ? known : undefined,
            lastSeen: known ? undefined : lastSeen,
            isInSeveral,
          })
        : { instance: await this.#lookAgain(tx, found, known, lastSeen), knowsBefore: false }
    await queries.updateSendingInstance(tx.db, instance)
    await failover.upsertSender(tx.db, this.#senderId)
    const others = await failover.listOtherSenders(tx.db, this.#senderId)
    return { instance, wasAsked, knowsBefore, others }
  }

  async #lookAgain(
    tx: ProcessContext,
    found: queries.SendingInstance,
    seen: queries.SendingInstance | undefined,
    lastSeen: LastSeen | undefined,
  ): Promise<queries.SendingInstance> {
    const epochSeen = Math.max(
      seen?.sending_epoch ?? 0,
      lastSeen?.id === found.id ? lastSeen.epoch : 0,
    )
    const known = lastSeen && { ...lastSeen, epoch: epochSeen }
    const reason = detectRestore(found, {
      ownsDatabase: this.#marker.ownsDatabase && !this.#instance,
      lastSeen: known ?? (seen && { id: seen.id, epoch: epochSeen, isCopy: false }),
    })
    // Before the database says that it is sent from: else a crash here would look like a loss.
    if (found.sending_identity === null) await this.#note(found)
    await failover.deleteDeadSenders(tx.db, deadAfterMs)
    return {
      ...found,
      sending_identity: found.sending_identity ?? found.current_identity,
      sending_epoch: Math.max(found.sending_epoch, epochSeen) + 1,
      ...heldFor(reason, found, tx),
    }
  }

  /**
   * The epoch stays what it was in the standby until all have asked: each compares it with its own.
   *
   * @param known.instance of the old primary, when this process has not asked for its marks yet
   * @param known.lastSeen what an earlier process left on this machine, for one that has just started
   */
  async #afterFailover(
    tx: ProcessContext,
    found: queries.SendingInstance,
    { instance: asked, lastSeen, isInSeveral }: Known,
  ): Promise<Pick<Look, 'instance' | 'knowsBefore'>> {
    const left = lastSeen?.id === found.id ? lastSeen.epoch : undefined
    const isBehind = (left ?? 0) > (found.failover_epoch ?? 0)
    const missed = asked ? await this.#ask(tx, found, asked) : null
    const held = {
      ...found,
      ...heldFor(missed ?? (isBehind ? 'database_went_back' : null), found, tx),
    }
    const isAskedNow = asked !== undefined || left !== undefined
    const knowsBefore =
      isAskedNow || (this.#knowsBefore && this.identity === found.current_identity)
    const instance = knowsBefore
      ? await this.#onceAllHaveAsked(tx, held, isInSeveral)
      : holdUnknown(held, tx)
    return { instance, knowsBefore }
  }

  async #onceAllHaveAsked(
    tx: ProcessContext,
    found: queries.SendingInstance,
    isInSeveral: boolean | undefined,
  ): Promise<queries.SendingInstance> {
    if (!isFailedOver(found) || Number(found.failover_ms) < settleMs) return found
    const isOver = Number(found.failover_ms) >= answerWithinMs
    const unasked = await failover.countUnaskedSenders(tx.db, this.#senderId)
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

  /** Whether this database has all that this process has marked. @returns why not */
  async #ask(
    tx: ProcessContext,
    found: queries.SendingInstance,
    seen: queries.SendingInstance,
  ): Promise<HoldReason | null> {
    // There was another failover before that, about which nobody asked this process.
    if (seen.current_identity !== found.failover_from) return 'another_database'
    const marks = this.marked.after(found.failover_epoch ?? 0)
    if (!marks) return 'database_went_back'
    // What others had begun since then, the new primary does not know of: who is alive comes forward.
    if (seen.sending_epoch > (found.failover_epoch ?? 0)) {
      await failover.insertUnaskedSenders(tx.db, this.#others, seen.current_identity)
    }
    const missing = await failover.findMissingMarks(tx.db, marks)
    if (missing.length === 0) return null
    await failover.insertMissingMarks(tx.db, missing)
    const ids = missing.map(({ workspace_id, lead_id, step_id, id }) => ({
      ...{ workspace_id, lead_id, step_id, id },
    }))
    this.#ctx.log.error(
      { missing: missing.length, mails: ids.slice(0, loggedMax) },
      'the new primary lacks mails that were sent',
    )
    return 'mails_missing'
  }

  #tell(instance: queries.SendingInstance, before: { wasHeld: boolean; wasAsking: boolean }) {
    const { log } = this.#ctx
    if (this.isHeld && !before.wasHeld) {
      log.error(
        { reason: instance.sending_held_reason },
        `${this.holdsAll ? 'nothing leaves this database, no mail and no webhook,' : 'no mail leaves this database'} until ${endsByItself(instance.sending_held_reason) ? 'every other shard has answered' : '"npx outrider sends confirm-restore"'}`,
      )
    }
    if (this.#isAsking && !before.wasAsking) {
      log.warn('the database failed over: no mail is sent until it is known to have all of them')
    }
    if (this.isHeld || this.#isAsking) return
    if (before.wasHeld) log.info('sending goes on')
    else if (before.wasAsking) {
      log.warn('the database failed over and lacks no mail that was sent: sending goes on')
    }
  }

  /** A disk that cannot be written to is no reason not to send. */
  async #note({ id, sending_epoch }: queries.SendingInstance) {
    try {
      await this.#marker.note({ id, epoch: sending_epoch })
    } catch (error) {
      this.#ctx.log.warn(describeError(error), 'DATA_DIR cannot be written: a restore is seen less')
    }
  }
}

/** Another one was sent from, of which this was a standby. */
const isFailedOver = ({ sending_identity, current_identity }: queries.SendingInstance) =>
  sending_identity !== null && isFailover(sending_identity, current_identity)

/** Since this process looked last, a standby took over; where a person was faster, nobody asks. */
const askedBy = (found: queries.SendingInstance, known: queries.SendingInstance) =>
  isFailover(known.current_identity, found.current_identity) &&
  found.failover_identity === found.current_identity

/** Nobody is there who knew the database before: it may as well have been put back by days. */
const holdUnknown = (found: queries.SendingInstance, tx: ProcessContext) => {
  const isOver = isFailedOver(found) && Number(found.failover_ms) >= decideWithinMs
  if (!isOver || found.sending_held_since) return found
  return { ...found, ...heldFor('another_database', found, tx) }
}

/** Of several reasons the first is told, unless it leaves open what may have been lost, or ends by itself. */
const heldFor = (
  reason: HoldReason | null,
  { sending_held_since, sending_held_reason }: queries.SendingInstance,
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
