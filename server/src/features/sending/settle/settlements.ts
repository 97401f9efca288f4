import type { Batcher } from '../../../kernel/batcher.ts'
import type { ProcessContext } from '../../../kernel/context.ts'
import { type BatchWriterOptions, createBatchWriter } from '../../../kernel/db/batch-writer.ts'
import { movingOf } from '../../../kernel/db/failure.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { describeError } from '../../../kernel/log.ts'
import type { CampaignCache } from '../next-mail/campaign-cache.ts'
import { setAside } from './set-aside.ts'
import { settleSends } from './settle.ts'
import type { Settlement } from './settlement.ts'

/** One prepares while the other waits for its commit. */
const sentAtOnce = 2
/** Texts of mails in one transaction may be so long: the driver holds several copies, and one mail may have a megabyte. */
const bytesMax = 2 * 1024 * 1024
/** While a workspace is moved nothing of it is written, and then it is settled, or elsewhere. */
const movingAgainMs = 1_000
const batch = {
  itemsMax: 500,
  bytes: { of: bytesOf, max: bytesMax },
  gather: 20,
  flow: { itemsMin: 400, gatherMs: 100 },
}

/**
 * Results on their way into the ledger. Mails that were sent, nearly all of them, and those that are tried
 * again share transactions whatever their workspace. Everything else may suppress an address or pause a
 * campaign, and waits for whoever does something like that in its workspace, so each workspace has a
 * transaction of its own for it. Together these take half of the connections at most: nothing else waits
 * for locks of workspaces.
 *
 * What the database refuses to record is an alarm, and is set aside: its lead is paused, and a person
 * is asked.
 */
export class Settlements {
  readonly #ctx: ProcessContext
  readonly #cache: CampaignCache
  readonly #sent: Batcher<Settlement, boolean>
  readonly #others: Batcher<Settlement, boolean>

  constructor(ctx: ProcessContext, cache: CampaignCache) {
    this.#ctx = ctx
    this.#cache = cache
    this.#sent = this.#writer('settlements', { concurrency: sentAtOnce })
    this.#others = this.#writer('results', {
      concurrency: Math.floor(ctx.config.databaseConnectionsMax / 2),
      keyOf: ({ workspace_id }) => workspace_id,
    })
  }

  /** Resolves once it is committed, with whether it changed its row. */
  async add(settlement: Settlement): Promise<boolean> {
    for (;;) {
      try {
        return await this.#write(settlement)
      } catch (error) {
        const moving = movingOf(error)
        if (!moving) return this.#setAside(settlement, error)
        if (moving.isMoved) return false
        await this.#ctx.sleep(movingAgainMs)
      }
    }
  }

  /** Resolves when everything given so far is written. */
  async flush() {
    await Promise.all([this.#sent.flush(), this.#others.flush()])
  }

  #write(settlement: Settlement): Promise<boolean> {
    return (isPlain(settlement) ? this.#sent : this.#others).add(settlement)
  }

  /** Most often it is the text of the mail that cannot be stored: then it is recorded without. */
  async #setAside(settlement: Settlement, error: unknown): Promise<boolean> {
    const { id, mail } = settlement
    this.#ctx.metrics.settlementRefused()
    this.#ctx.log.error(
      { code: 'settlement_refused', send: id, ...describeError(error) },
      'the database refuses to record what became of a mail',
    )
    if (mail !== null) {
      try {
        return await this.#write({ ...settlement, mail: null })
      } catch {
        // As it was told of above.
      }
    }
    return transaction(this.#ctx, (tx) => setAside(tx, this.#cache, settlement, error))
  }

  #writer(name: string, options: Pick<BatchWriterOptions<Settlement>, 'concurrency' | 'keyOf'>) {
    const write = (tx: ProcessContext, items: Settlement[]) => settleSends(tx, this.#cache, items)
    return createBatchWriter(this.#ctx, name, write, { ...batch, ...options })
  }
}

/**
 * A mail of a campaign whose text is at hand waits for nobody but those who change the same lead or
 * campaign, and so does one that is tried again.
 */
const isPlain = ({ outcome, mail }: Settlement) =>
  outcome.kind === 'sent'
    ? mail !== null
    : outcome.kind === 'failed' &&
      (outcome.effect.kind === 'again' || outcome.effect.kind === 'later')

function bytesOf({ mail }: Settlement): number {
  return mail ? mail.text.length + (mail.html?.length ?? 0) : 0
}
