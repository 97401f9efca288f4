import type { Batcher } from '../../../kernel/batcher.ts'
import type { ProcessContext } from '../../../kernel/context.ts'
import { createBatchWriter } from '../../../kernel/db/batch-writer.ts'
import { type MailboxOwner, putToSleep, type Sleep } from '../../mailbox-lanes/index.ts'
import { LinkMaker } from '../../tracking/index.ts'
import { claimSends } from '../claim/claim.ts'
import type { Claim, ClaimRequest } from '../ledger.ts'
import { CampaignCache } from '../next-mail/campaign-cache.ts'
import { LeadPrefetch } from '../next-mail/lead-prefetch.ts'
import { type Skip, skipLeads } from '../next-mail/skip-leads.ts'
import type { RememberedMark } from '../restore-guard/remembered-marks.ts'
import type { RestoreGuard } from '../restore-guard/restore-guard.ts'
import { SentCopies } from '../sent-copies/sent-copies.ts'
import { Settlements } from '../settle/settlements.ts'
import { Connections } from '../transmit/connections.ts'
import { DraftRoom } from '../transmit/draft-room.ts'
import { type Mark, markTransmitting } from '../transmit/mark-queries.ts'
import { RefusedInRow } from '../transmit/refused-in-row.ts'

/** Left: the database is not the one that the work was read from. */
type SleepAnswer = 'asleep' | 'again' | 'left'

/** What the lanes of one process share. */
export interface SenderParts {
  guard: RestoreGuard
  /** When this process began: mailboxes that were read before it count as unread. */
  readSince: Date
  cache: CampaignCache
  prefetch: LeadPrefetch
  links: LinkMaker
  /** Memory for mails that are made and not settled. */
  room: DraftRoom
  connections: Connections
  refusedInRow: RefusedInRow
  copies: SentCopies
  claims: Batcher<ClaimRequest, Claim | null>
  skips: Batcher<Skip, undefined>
  marks: Batcher<Mark, boolean>
  settlements: Settlements
  sleeps: Batcher<Sleep, SleepAnswer>
  /** Resolves when everything given so far is written. */
  flush: () => Promise<void>
}

/** One writer, so that marks of all mailboxes share a commit: a little more latency, far fewer commits. */
const marksAtOnce = 1
const skipsAtOnce = 4
/** Others wait meanwhile, of whatever workspace; who waited in vain looks again in a second. */
const skipLockMs = 200

export function createSenderParts(
  ctx: ProcessContext,
  guard: RestoreGuard,
  readSince: Date,
  owner?: MailboxOwner,
): SenderParts {
  const cache = new CampaignCache()
  const claims = createBatchWriter<ClaimRequest, Claim | null>(
    ctx,
    'claims',
    (tx, items) => {
      const suspect = () => guard.suspect()
      return claimSends(tx, items, { epoch: guard.epoch, readSince, suspect })
    },
    { itemsMax: 500, gather: 1 },
  )
  const skips = createBatchWriter<Skip, undefined>(ctx, 'skips', skipLeads, {
    ...{ itemsMax: 500, gather: 1, lockMs: skipLockMs, concurrency: skipsAtOnce },
    keyOf: ({ workspace_id }) => workspace_id,
  })
  const marks = createBatchWriter<Mark, boolean>(ctx, 'marks', markSince(readSince, guard), {
    ...{ itemsMax: 500, gather: 1, concurrency: marksAtOnce, isOneStatement: true },
  })
  const settlements = new Settlements(ctx, cache)
  const sleeps = createBatchWriter<Sleep, SleepAnswer>(
    ctx,
    'sleeps',
    async (tx, items) => {
      const found = await putToSleep(tx.db, items)
      if (found.identity !== guard.identity) guard.suspect()
      return items.map(({ mailbox_id, identity }) => {
        if (found.asleep.has(mailbox_id)) return 'asleep'
        return identity === null || identity === found.identity ? 'again' : 'left'
      })
    },
    { itemsMax: 500, gather: 1, isOneStatement: true },
  )
  return {
    ...{ guard, readSince, cache, claims, skips, marks, settlements, sleeps },
    prefetch: new LeadPrefetch(),
    links: new LinkMaker(ctx),
    room: new DraftRoom(),
    connections: new Connections(ctx),
    refusedInRow: new RefusedInRow(),
    copies: new SentCopies(ctx, owner),
    async flush() {
      await Promise.all([claims.flush(), skips.flush(), marks.flush(), sleeps.flush()])
      await settlements.flush()
    },
  }
}

const markSince =
  (readSince: Date, { marked }: RestoreGuard) =>
  async (tx: ProcessContext, marks: Mark[]) => {
    const now = tx.now()
    const ids = await markTransmitting(tx.db, marks, now, readSince)
    return marks.map((mark) => {
      const isMarked = ids.has(mark.id)
      if (isMarked) marked.add(rememberedOf(mark, now))
      return isMarked
    })
  }

const rememberedOf = (
  { workspace_id, lead_id, step_id, id, attempt, campaign_id, mailbox_id }: Mark,
  timestamp_marked: Date,
): RememberedMark => ({
  ...{ workspace_id, lead_id, step_id, id, attempt, campaign_id, mailbox_id, timestamp_marked },
})
