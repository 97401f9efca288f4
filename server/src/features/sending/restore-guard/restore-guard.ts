import type { Context } from '../../../kernel/context.ts'
import { lockInstance } from '../../../kernel/db/instance.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { describeError } from '../../../kernel/log.ts'
import { detectRestore } from './detect-restore.ts'
import * as queries from './hold-queries.ts'
import type { RestoreMarker } from './marker-file.ts'

const lookEveryMs = 15_000

/** Without a file: what this process has seen itself. */
const nobody: RestoreMarker = {
  ownsDatabase: false,
  recall: async () => undefined,
  note: async () => undefined,
}

/**
 * Looks whether the database is still the one that was sent from: at the start, and again and again
 * as long as the process lives. If not, it is written down there, and everybody holds.
 */
export class RestoreGuard {
  readonly #ctx: Context
  readonly #marker: RestoreMarker
  #instance: queries.SendingInstance | undefined
  #lookedAtMs = Number.NEGATIVE_INFINITY

  constructor(ctx: Context, marker: RestoreMarker = nobody) {
    this.#ctx = ctx
    this.#marker = marker
  }

  /** Nothing new is sent; what is under way is settled. */
  get isHeld(): boolean {
    return this.#instance?.sending_held_since != null
  }

  /** The highest that this process has seen. */
  get epoch(): number {
    return this.#instance?.sending_epoch ?? 0
  }

  /** Often while it is held: a person waits for it. @returns whether it is over since the last look */
  async lookWhenDue(): Promise<boolean> {
    const wasHeld = this.isHeld
    if (!wasHeld && this.#ctx.monotonicMs() < this.#lookedAtMs + lookEveryMs) return false
    await this.look()
    return wasHeld && !this.isHeld
  }

  async look() {
    this.#lookedAtMs = this.#ctx.monotonicMs()
    const wasHeld = this.isHeld
    const mark = await this.#marker.recall()
    const seen = this.#instance
    const instance = await transaction(this.#ctx, async (tx) => {
      await lockInstance(tx.db)
      const found = await queries.findSendingInstance(tx.db)
      if (!found) return undefined
      const epochSeen = Math.max(
        seen?.id === found.id ? seen.sending_epoch : 0,
        mark?.id === found.id ? mark.epoch : 0,
      )
      const known = mark && { ...mark, epoch: epochSeen }
      const reason = detectRestore(found, {
        ownsDatabase: this.#marker.ownsDatabase && !seen,
        mark: known ?? (seen && { id: seen.id, epoch: epochSeen, isCopy: false }),
      })
      // Before the database says that it is sent from: else a crash here would look like a loss.
      if (found.sending_identity === null) await this.#note(found)
      const next = {
        ...found,
        sending_identity: found.sending_identity ?? found.current_identity,
        sending_epoch: Math.max(found.sending_epoch, epochSeen) + 1,
        sending_held_since: found.sending_held_since ?? (reason && tx.now()),
        sending_held_reason: found.sending_held_reason ?? reason,
      }
      await queries.updateSendingInstance(tx.db, next)
      return next
    })
    this.#instance = instance
    if (instance) await this.#note(instance)
    if (this.isHeld && !wasHeld) {
      this.#ctx.log.error(
        { reason: instance?.sending_held_reason },
        'nothing leaves this database, no mail and no webhook, until "npx outrider sends confirm-restore"',
      )
    }
    if (wasHeld && !this.isHeld) this.#ctx.log.info('sending goes on')
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
