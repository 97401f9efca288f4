import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import type { ChangedBy } from '../audit/index.ts'
import { type Campaign, deleteUnsent } from '../campaigns/index.ts'
import { deleteLeadsOf, haveHistory } from './queries.ts'

/** Deletes a campaign that never sent, with the leads that wait in it. */
export const deleteUnsentWithLeads = (
  ctx: Context,
  workspaceId: string,
  campaignId: string,
  by: ChangedBy,
): Promise<Campaign> =>
  transaction(ctx, (tx) =>
    deleteUnsent(tx, workspaceId, campaignId, by, async () => {
      const isKept = () => haveHistory(tx.db, workspaceId, campaignId)
      if (await isKept()) return true
      const wereContacted = await deleteLeadsOf(tx.db, workspaceId, campaignId)
      // Again, for what came in before they were locked.
      return wereContacted || isKept()
    }),
  )
