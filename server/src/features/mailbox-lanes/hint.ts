import type { Context } from '../../kernel/context.ts'
import { hintDue } from '../../kernel/runner/hint.ts'
import { bucketOf } from '../../kernel/runner/leases.ts'

/** The kind of the leases on mailboxes, and of hints to them. */
export const leaseKind = 'mailboxes'
/** Of hints that campaigns were marked. */
export const campaignKind = 'campaigns'

/** Tells the runners that own these mailboxes that they were woken. */
export function hintMailboxes(ctx: Context, workspaceId: string, mailboxIds: string[]) {
  if (mailboxIds.length === 0) return
  hintDue(ctx, { kind: leaseKind, lanes: mailboxIds.map((id) => ({ workspaceId, id })) })
}

/** Tells whoever looks for marked campaigns. */
export function hintCampaigns(ctx: Context, campaignIds: string[]) {
  hintDue(ctx, { kind: campaignKind, buckets: campaignIds.map(bucketOf) })
}
