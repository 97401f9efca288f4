import type { ProcessContext } from '../../../kernel/context.ts'
import { lockInstance } from '../../../kernel/db/instance.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { describeError } from '../../../kernel/log.ts'
import { hasOneInSeveral } from '../../workspaces/index.ts'
import { heldFor, isAskedAfterFailover, judgeFailover, type Known } from './after-failover.ts'
import {
  deadAfterMs,
  detectRestore,
  endsByItself,
  holdsAll,
  isFailedOver,
} from './detect-restore.ts'
import * as failover from './failover-queries.ts'
import * as queries from './hold-queries.ts'
import type { LastSeen, LastSeenFile } from './marker-file.ts'
import { RememberedMarks } from './remembered-marks.ts'

const lookEveryMs = 15_000

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
    return this.#instance !== undefined && holdsAll(this.#instance)
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
    const wasAsked = known !== undefined && isAskedAfterFailover(found, known)
    const { instance, knowsBefore } =
      wasAsked || isFailedOver(found)
        ? await judgeFailover(
            tx,
            found,
            {
              instance: wasAsked ? known : undefined,
              lastSeen: known ? undefined : lastSeen,
              isInSeveral,
            },
            {
              ...{ senderId: this.#senderId, marked: this.marked, others: this.#others },
              knewBefore: ({ current_identity }) =>
                this.#knowsBefore && this.identity === current_identity,
            },
          )
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
