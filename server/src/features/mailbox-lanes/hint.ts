import type { Context } from '../../kernel/context.ts'
import { hintDue } from '../../kernel/runner/hint.ts'

/** The kind of the leases on mailboxes. */
export const leaseKind = 'mailboxes'

/** Tells the runners that own these buckets to look for mailboxes that were woken. */
export function hintMailboxes(ctx: Context, buckets: number[]) {
  if (buckets.length > 0) hintDue(ctx, { kind: leaseKind, buckets })
}
