import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { describeError } from '../../kernel/log.ts'
import { hintDue } from '../../kernel/runner/hint.ts'
import { findMarkedCampaigns } from './cross-workspace.ts'
import * as queries from './queries.ts'

/** However many leads are added one by one, a campaign's mailboxes are woken no more often. */
const everyMs = 100
/** The clocks of two runners may be so far apart. */
const skewMaxMs = 60_000

/**
 * Wakes the mailboxes of the campaigns that were marked, except those that rest for other reasons than
 * leads. The marks are taken after their leads were committed: whoever looks later sees them.
 */
export function createMarkedWaker(ctx: Context): () => Promise<void> {
  let nextMs = 0
  return async () => {
    if (ctx.monotonicMs() < nextMs) return
    const marked = await findMarkedCampaigns(ctx.db)
    if (marked.length > 0) nextMs = ctx.monotonicMs() + everyMs
    for (const { workspace_id, campaign_id } of marked) {
      await transaction(ctx, (tx) => wakeMarked(tx, workspace_id, campaign_id)).catch((error) =>
        ctx.log.error({ campaign_id, ...describeError(error) }, 'mailboxes are woken later'),
      )
    }
  }
}

async function wakeMarked(tx: Context, workspaceId: string, campaignId: string) {
  // One that is being marked is not taken: it is found after that commit.
  const taken = await queries.takeMark(tx.db, workspaceId, campaignId)
  if (taken.length === 0) return
  const now = tx.now()
  const later = new Date(now.getTime() + skewMaxMs)
  await queries.wakeForNewLeads(tx.db, workspaceId, [campaignId], now, later)
  tx.afterCommit?.(hintDue)
}
