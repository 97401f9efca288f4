import type { Context, ProcessContext } from '../../kernel/context.ts'
import { hintDue } from '../../kernel/runner/hint.ts'
import { allBuckets, bucketOf } from '../../kernel/runner/leases.ts'

/** The kind of the leases on mailboxes, and of hints to them. */
export const leaseKind = 'mailboxes'
/** Of hints that campaigns were marked. */
export const campaignKind = 'campaigns'

/** Of hints that mailboxes came, went or are to be read otherwise. */
export const readingKind = 'readings'

/** Tells the owner of a mailbox, after the commit, to look whether and where it is to be read. */
export function hintReading(tx: Context, mailboxId: string) {
  tx.afterCommit?.((ctx) => hintDue(ctx, { kind: readingKind, buckets: [bucketOf(mailboxId)] }))
}

/** Tells all owners: the mailboxes of a whole workspace came or went. */
export const hintReadings = (ctx: ProcessContext) =>
  hintDue(ctx, { kind: readingKind, buckets: allBuckets })

/** Tells the runners that own these mailboxes that they were woken. */
export function hintMailboxes(ctx: ProcessContext, workspaceId: string, mailboxIds: string[]) {
  if (mailboxIds.length === 0) return
  hintDue(ctx, { kind: leaseKind, lanes: mailboxIds.map((id) => ({ workspaceId, id })) })
}

/** Tells whoever looks for marked campaigns. */
export function hintCampaigns(ctx: ProcessContext, campaignIds: string[]) {
  hintDue(ctx, { kind: campaignKind, buckets: campaignIds.map(bucketOf) })
}
