import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { describeError } from '../../kernel/log.ts'
import { hintDue } from '../../kernel/runner/hint.ts'
import { findMarkedCampaigns } from './cross-workspace.ts'
import * as queries from './queries.ts'

/** However often a campaign is marked, its mailboxes are woken no more often. */
const everyMs = 100
/** The clocks of two runners may be so far apart. */
const skewMaxMs = 60_000

/**
 * Wakes the mailboxes of the campaigns that were marked, except those that could do nothing more than
 * before. The marks are taken after what they tell of was committed: whoever looks later sees it.
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
  const [mark] = await queries.takeMark(tx.db, workspaceId, campaignId)
  if (!mark) return
  const later = new Date(tx.now().getTime() + skewMaxMs)
  const { wake_at, changed } = mark
  await queries.wakeLanesOfCampaign(tx.db, workspaceId, campaignId, wake_at, later, changed)
  tx.afterCommit?.(hintDue)
}
