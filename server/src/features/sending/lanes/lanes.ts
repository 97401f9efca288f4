import type { ProcessContext } from '../../../kernel/context.ts'
import { bucketOf } from '../../../kernel/runner/leases.ts'
import type { ClaimedMail } from '../next-mail/next-action.ts'
import { Lane } from './lane.ts'
import { MailboxSlots } from './mailbox-slots.ts'
import type { SenderParts } from './sender-parts.ts'
import { LaneWorker } from './work-lane.ts'

export interface LanesOptions {
  /** The token of a bucket's lease; undefined when this runner may start nothing of it. */
  tokenOf: (bucket: number) => string | undefined
  /** Called once per mail whose result is in the ledger. */
  onSettled?: (mail: ClaimedMail) => void
}

/**
 * The mailboxes of this runner's buckets that are awake. Each waits for a slot and keeps it until it
 * sleeps (`LaneWorker`); asleep it is a row of the database, or another runner's.
 */
export class Lanes {
  readonly #ctx: ProcessContext
  readonly #options: LanesOptions
  readonly #parts: SenderParts
  readonly #lanes = new Map<string, Lane>()
  readonly #slots: MailboxSlots
  readonly #worker: LaneWorker
  /** Mailbox to the token that it was taken over under: that is done once per lease. */
  readonly #recovered = new Map<string, string>()

  constructor(ctx: ProcessContext, parts: SenderParts, options: LanesOptions) {
    this.#ctx = ctx
    this.#options = options
    this.#parts = parts
    this.#slots = new MailboxSlots(ctx)
    this.#worker = new LaneWorker(ctx, parts, {
      ...options,
      slots: this.#slots,
      isOurs: (lane) => options.tokenOf(lane.bucket) === lane.token,
    })
  }

  /** Awake, not owned: those that sleep are in the database. */
  get size(): number {
    return this.#lanes.size
  }

  wake(workspaceId: string, mailboxId: string) {
    const awake = this.#lanes.get(mailboxId)
    if (awake) {
      awake.isWoken = true
      return
    }
    const token = this.#options.tokenOf(bucketOf(mailboxId))
    if (token === undefined) return
    const lane = new Lane(workspaceId, mailboxId, token)
    lane.isRecovered = this.#recovered.get(mailboxId) === token
    this.#lanes.set(mailboxId, lane)
    this.#slots.add(lane)
    this.#pump()
  }

  /** The database may have forgotten what became of mails: what it takes for open is settled anew. */
  doubtAll() {
    this.#recovered.clear()
    for (const lane of this.#lanes.values()) lane.isInDoubt = true
  }

  /** Called several times a second. */
  tick() {
    this.#slots.review()
    this.#parts.connections.closeIdle()
    this.#pump()
  }

  /** Resolves when nothing is under way, or nothing of these buckets, or when the time is over. */
  async drain(withinMs: number, buckets?: number[]) {
    const leaving = buckets && new Set(buckets)
    const leaves = ({ bucket }: Lane) => leaving?.has(bucket) ?? true
    const untilMs = this.#ctx.monotonicMs() + withinMs
    const isBusy = () => [...this.#lanes.values()].some(leaves)
    for (const lane of this.#lanes.values()) {
      if (lane.slot || !leaves(lane)) continue
      this.#slots.delete(lane)
      this.#lanes.delete(lane.mailboxId)
    }
    while (isBusy() && this.#ctx.monotonicMs() < untilMs) await this.#ctx.sleep(20)
    await this.#parts.flush()
  }

  #pump() {
    for (let lane = this.#slots.take(); lane; lane = this.#slots.take()) void this.#start(lane)
  }

  async #start(lane: Lane) {
    await this.#worker.work(lane)
    this.#slots.free(lane)
    this.#lanes.delete(lane.mailboxId)
    if (lane.isRecovered && !lane.isInDoubt) this.#recovered.set(lane.mailboxId, lane.token)
    else this.#recovered.delete(lane.mailboxId)
    if (lane.isWoken) this.wake(lane.workspaceId, lane.mailboxId)
    this.#pump()
  }
}
