import { inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import { column } from '../../kernel/db/column.ts'
import { describeError } from '../../kernel/log.ts'
import { findMarkedCampaigns, type MarkedCampaign } from './cross-workspace.ts'
import { hintMailboxes } from './hint.ts'
import * as queries from './queries.ts'

/** However often a campaign is marked, its mailboxes are woken no more often. */
const everyMs = 100
/** What no hint told of is found so late. */
const pollEveryMs = 1_000
/** Campaigns of a workspace whose mailboxes are woken at once. */
const campaignsMax = 100
/** The clocks of two runners may be so far apart. */
const skewMaxMs = 60_000

/**
 * Wakes the mailboxes of the campaigns that were marked, except those that could do nothing more than
 * before. A mark is seen once what it tells of was committed, so whoever looks later sees that; it is
 * deleted once its mailboxes are awake, so they are woken twice rather than never.
 */
export function createMarkedWaker(ctx: ProcessContext): (hinted?: boolean) => Promise<void> {
  let nextMs = 0
  let pollMs = 0
  return async (hinted = false) => {
    if (hinted) pollMs = 0
    if (ctx.monotonicMs() < Math.max(nextMs, pollMs)) return
    pollMs = ctx.monotonicMs() + pollEveryMs
    const marked = await findMarkedCampaigns(ctx.db)
    if (marked.length > 0) nextMs = ctx.monotonicMs() + everyMs
    for (const [workspaceId, own] of Map.groupBy(marked, ({ workspace_id }) => workspace_id)) {
      for (let at = 0; at < own.length; at += campaignsMax) {
        await wake(ctx, workspaceId, own.slice(at, at + campaignsMax))
      }
    }
  }
}

async function wake(ctx: ProcessContext, workspaceId: string, marks: MarkedCampaign[]) {
  const { db } = inWorkspace(ctx, workspaceId)
  const later = new Date(ctx.now().getTime() + skewMaxMs)
  try {
    const woken = await queries.wakeLanesOfMarked(db, workspaceId, marks, later)
    const awake = woken.filter(({ wake_at }) => wake_at <= ctx.now())
    hintMailboxes(ctx, workspaceId, column(awake, 'mailbox_id'))
    const ids = marks.map(({ campaign_id }) => campaign_id)
    await queries.deleteMarks(
      db,
      workspaceId,
      ids,
      marks.map(({ id }) => id),
    )
  } catch (error) {
    ctx.log.error({ workspaceId, ...describeError(error) }, 'mailboxes are woken later')
  }
}
