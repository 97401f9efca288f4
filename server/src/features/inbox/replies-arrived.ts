import type { Context } from '../../kernel/context.ts'
import { settle } from './reply-ledger.ts'
import { lockUncertain } from './reply-queries.ts'

/** An answer came to them, or they lie in the Sent folder: they were sent. Of others nothing changes. */
export async function markRepliesArrived(tx: Context, workspaceId: string, messageIds: string[]) {
  if (messageIds.length === 0) return
  for (const reply of await lockUncertain(tx.db, workspaceId, messageIds)) {
    await settle(tx, reply, { kind: 'sent' })
  }
}
