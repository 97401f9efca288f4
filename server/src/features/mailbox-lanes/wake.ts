import type { Context } from '../../kernel/context.ts'
import { requireTransaction } from '../../kernel/db/transaction.ts'
import { bucketOf } from '../../kernel/runner/leases.ts'
import { hintCampaigns, hintMailboxes } from './hint.ts'
import * as queries from './queries.ts'

/**
 * Tells the runner that these mailboxes may have something to send. In the transaction that makes
 * the work, as its last statement: told apart from it, or only when the lane looks asleep, a wake-up
 * gets lost between a runner that found nothing and its going to sleep.
 */
export async function wakeMailboxes(tx: Context, workspaceId: string, mailboxIds: string[]) {
  if (mailboxIds.length === 0) return
  requireTransaction(tx)
  const ids = [...new Set(mailboxIds)].sort()
  await queries.wakeLanes(tx.db, workspaceId, ids, ids.map(bucketOf), tx.now())
  tx.afterCommit?.((ctx) => hintMailboxes(ctx, workspaceId, ids))
}

/** Wakes a mailbox that a person has mended: it is tried at once, whatever failed before. */
export async function wakeMendedMailbox(tx: Context, workspaceId: string, mailboxId: string) {
  await wakeMailboxes(tx, workspaceId, [mailboxId])
  await queries.forgiveLane(tx.db, workspaceId, mailboxId)
}

/**
 * Wakes a mailbox whose servers let it in again: it is tried at once. Only a mail that is taken ends its
 * failures in a row, for who may log in and not send would else be tried every few seconds.
 */
export async function wakeRecoveredMailbox(tx: Context, workspaceId: string, mailboxId: string) {
  await wakeMailboxes(tx, workspaceId, [mailboxId])
  await queries.endPause(tx.db, workspaceId, mailboxId)
}

/**
 * Moves the time of the mailbox's next mail, as if its new gap had been in force when the last one was
 * sent. It does not wake the mailbox.
 */
export async function changeGap(
  tx: Context,
  workspaceId: string,
  mailboxId: string,
  gapSeconds: { before: number; after: number },
) {
  requireTransaction(tx)
  if (gapSeconds.before === gapSeconds.after) return
  await queries.moveNextSend(tx.db, workspaceId, mailboxId, gapSeconds)
}

/**
 * Moves it for every mailbox whose last mail was of this campaign. Whoever changes a campaign also marks
 * it as changed, and that wakes its mailboxes.
 */
export async function changeCampaignGap(
  tx: Context,
  workspaceId: string,
  campaignId: string,
  gap: { before: queries.CampaignGap; after: queries.CampaignGap },
) {
  requireTransaction(tx)
  const { before, after } = gap
  const isSame =
    before.email_gap === after.email_gap && before.random_wait_max === after.random_wait_max
  if (!isSame) await queries.moveNextSendOfCampaign(tx.db, workspaceId, campaignId, gap)
}

type NewMark = Omit<queries.CampaignMark, 'id'>

/**
 * Tells that these campaigns may have something to send. A runner wakes their mailboxes after the
 * commit, but for those that cannot send more than before until they wake by themselves. One row for
 * each campaign, however many leads and mailboxes it has, and however often it is called.
 */
export async function markCampaigns(tx: Context, workspaceId: string, marks: NewMark[]) {
  if (marks.length === 0) return
  requireTransaction(tx)
  const identified = marks.map((mark) => ({ ...mark, id: tx.newId() }))
  await queries.markCampaigns(tx.db, workspaceId, identified)
  const ids = marks.map(({ campaign_id }) => campaign_id)
  tx.afterCommit?.((ctx) => hintCampaigns(ctx, ids))
}

/** Leads of these campaigns were added, brought back, or are due sooner than they were. */
export const markLeadsDue = (tx: Context, workspaceId: string, campaignIds: string[]) =>
  markCampaigns(
    tx,
    workspaceId,
    campaignIds.map((campaign_id) => ({ campaign_id, wake_at: tx.now(), changed: false })),
  )

/** These campaigns have other settings. */
export const markCampaignsChanged = (tx: Context, workspaceId: string, campaignIds: string[]) =>
  markCampaigns(
    tx,
    workspaceId,
    campaignIds.map((campaign_id) => ({ campaign_id, wake_at: tx.now(), changed: true })),
  )

/** Every mailbox of the workspace: its plan allows sending again, or nobody knows which it concerns. */
export async function wakeWorkspaceMailboxes(tx: Context, workspaceId: string) {
  requireTransaction(tx)
  const ids = await queries.wakeLanesOfWorkspace(tx.db, workspaceId, tx.now())
  tx.afterCommit?.((ctx) => hintMailboxes(ctx, workspaceId, ids))
}

/** Mailboxes of a workspace that came from another database: their leases there are gone. */
export async function takeInMailboxes(tx: Context, workspaceId: string) {
  requireTransaction(tx)
  await queries.resetTokens(tx.db, workspaceId)
  await wakeWorkspaceMailboxes(tx, workspaceId)
}
