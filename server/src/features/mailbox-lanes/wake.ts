import type { Context } from '../../kernel/context.ts'
import { hintDue } from '../../kernel/runner/hint.ts'
import { bucketOf } from '../../kernel/runner/leases.ts'
import * as queries from './queries.ts'

/**
 * Tells the runner that these mailboxes may have something to send. In the transaction that makes
 * the work, as its last statement: told apart from it, or only when the lane looks asleep, a wake-up
 * gets lost between a runner that found nothing and its going to sleep.
 */
export async function wakeMailboxes(tx: Context, workspaceId: string, mailboxIds: string[]) {
  if (mailboxIds.length === 0) return
  mustBeTransaction(tx)
  const ids = [...new Set(mailboxIds)].sort()
  await queries.wakeLanes(tx.db, workspaceId, ids, ids.map(bucketOf), tx.now())
  tx.afterCommit?.(hintDue)
}

/** The same for a mailbox that was mended: it is tried at once, whatever failed before. */
export async function wakeMendedMailbox(tx: Context, workspaceId: string, mailboxId: string) {
  await wakeMailboxes(tx, workspaceId, [mailboxId])
  await queries.forgiveLane(tx.db, workspaceId, mailboxId)
}

/**
 * Those that the campaigns send from; of campaigns that are not active, none.
 *
 * @param at when there is something for them to do; now, if it is not given
 */
export async function wakeCampaignMailboxes(
  tx: Context,
  workspaceId: string,
  campaignIds: string[],
  at = tx.now(),
) {
  if (campaignIds.length === 0) return
  mustBeTransaction(tx)
  await queries.wakeLanesOfCampaigns(tx.db, workspaceId, campaignIds, at)
  tx.afterCommit?.(hintDue)
}

/**
 * That leads were added to this campaign: a runner wakes its mailboxes after the commit. One row,
 * however many they are and however often it is called.
 */
export async function markCampaign(tx: Context, workspaceId: string, campaignId: string) {
  mustBeTransaction(tx)
  await queries.markCampaign(tx.db, workspaceId, campaignId)
  tx.afterCommit?.(hintDue)
}

/** Every mailbox of the workspace: its plan allows sending again, or nobody knows which it concerns. */
export async function wakeWorkspaceMailboxes(tx: Context, workspaceId: string) {
  mustBeTransaction(tx)
  await queries.wakeLanesOfWorkspace(tx.db, workspaceId, tx.now())
  tx.afterCommit?.(hintDue)
}

function mustBeTransaction(tx: Context) {
  if (!tx.db.isTransaction) throw new Error('A mailbox is woken in the transaction of the change.')
}
