import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import type { ChangedBy } from '../audit/index.ts'
import { type Campaign, deleteDraft } from '../campaigns/index.ts'
import { deleteLeadsOf } from './queries.ts'

/** Deletes a campaign that never sent, with the leads that wait in it. */
export const deleteDraftWithLeads = (
  ctx: Context,
  workspaceId: string,
  campaignId: string,
  by: ChangedBy,
): Promise<Campaign> =>
  transaction(ctx, (tx) =>
    deleteDraft(tx, workspaceId, campaignId, by, () =>
      deleteLeadsOf(tx.db, workspaceId, campaignId),
    ),
  )
