import { inWorkspace, type ProcessContext } from '../../../kernel/context.ts'
import { column } from '../../../kernel/db/column.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { describeError } from '../../../kernel/log.ts'
import { wakeMailboxes } from '../../mailbox-lanes/index.ts'
import { findInterruptedLanes } from '../cross-workspace.ts'

/**
 * Wakes the mailboxes of these buckets that sleep over a mail of which nobody has said what became of
 * it. None does, unless the database has forgotten what was settled: a standby that took over has the
 * mark of a mail, and lacks its result. Their leads would wait for that mail without end.
 */
export async function wakeInterrupted(ctx: ProcessContext, buckets: number[]) {
  const found = await findInterruptedLanes(ctx.db, buckets, ctx.now())
  for (const [workspaceId, lanes] of Map.groupBy(found, ({ workspace_id }) => workspace_id)) {
    try {
      await transaction(inWorkspace(ctx, workspaceId), (tx) =>
        wakeMailboxes(tx, workspaceId, column(lanes, 'mailbox_id')),
      )
    } catch (error) {
      ctx.log.error({ workspaceId, ...describeError(error) }, 'interrupted mails are settled later')
    }
  }
}
