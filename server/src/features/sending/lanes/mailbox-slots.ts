import type { ProcessContext } from '../../../kernel/context.ts'
import { FairQueue } from '../../../kernel/runner/fair-queue.ts'
import { type SlotLimits, type SlotPool, Slots } from '../../../kernel/runner/slots.ts'
import type { Lane } from './lane.ts'

/**
 * Mailboxes that are looked after at once. A mail server that hangs holds a slot for up to ten
 * minutes, a good one takes a mail within seconds. Decision 0019 gives the reasons.
 */
const limits: SlotLimits = {
  max: { proven: 512, trial: 256, failing: 1024 },
  slowAfterMs: 5_000,
  slowMax: 768,
  workspaceShare: 0.5,
}
const pools = ['proven', 'trial', 'failing'] as const
const remembered = 20_000

/**
 * Hands out slots to mailboxes in turn by workspace, then by mailbox, from the pool of each. Proven:
 * its server took the last mail or login that this process tried. Failing: it did not. On trial: this
 * process has not tried yet.
 */
export class MailboxSlots {
  readonly #slots: Slots
  readonly #waiting: Record<SlotPool, FairQueue<Lane>> = {
    proven: new FairQueue(),
    trial: new FairQueue(),
    failing: new FairQueue(),
  }
  readonly #poolOf = new Map<string, Exclude<SlotPool, 'trial'>>()

  constructor(ctx: ProcessContext) {
    this.#slots = new Slots(ctx, limits)
  }

  add(lane: Lane) {
    this.#waiting[this.#pool(lane)].add(lane.workspaceId, lane)
  }

  delete(lane: Lane) {
    for (const pool of pools) this.#waiting[pool].delete(lane.workspaceId, lane)
  }

  /** The next mailbox that may be looked after: it has a slot from now on. */
  take(): Lane | undefined {
    for (const pool of pools) {
      if (!this.#slots.hasFree(pool)) continue
      const lane = this.#waiting[pool].take((workspaceId) =>
        this.#slots.hasShare(pool, workspaceId),
      )
      if (!lane) continue
      lane.slot = this.#slots.take(pool, lane.workspaceId)
      return lane
    }
  }

  free(lane: Lane) {
    if (lane.slot) this.#slots.free(lane.slot)
    lane.slot = undefined
  }

  /** Something came back of what it waited for: it does not hang. */
  renew(lane: Lane) {
    if (lane.slot) this.#slots.renew(lane.slot, this.#pool(lane))
  }

  noteSuccess(lane: Lane) {
    this.#remember(lane, 'proven')
    this.renew(lane)
  }

  noteFailure(lane: Lane) {
    this.#remember(lane, 'failing')
  }

  /** Called several times a second. */
  review() {
    this.#slots.review()
  }

  #pool = ({ mailboxId }: Lane): SlotPool => this.#poolOf.get(mailboxId) ?? 'trial'

  #remember({ mailboxId }: Lane, pool: Exclude<SlotPool, 'trial'>) {
    this.#poolOf.delete(mailboxId)
    this.#poolOf.set(mailboxId, pool)
    if (this.#poolOf.size <= remembered) return
    const [oldest] = this.#poolOf.keys()
    if (oldest !== undefined) this.#poolOf.delete(oldest)
  }
}
