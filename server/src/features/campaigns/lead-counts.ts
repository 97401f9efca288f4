import type { Context } from '../../kernel/context.ts'
import { emit } from '../events/index.ts'
import * as queries from './queries.ts'
import { toRecord } from './record.ts'

/**
 * Completes an active campaign once it has leads and all of them are finished or stopped. Belongs
 * into the transaction that finished or stopped a lead, after `addLeadCounts`: whoever locks both
 * rows then does so in this order.
 *
 * @returns whether the campaign is completed by this call
 */
export async function completeIfFinished(
  tx: Context,
  workspaceId: string,
  campaignId: string,
): Promise<boolean> {
  const completed = await queries.completeCampaign(tx.db, workspaceId, campaignId, tx.now())
  if (!completed) return false
  const [row] = await queries.readCampaign(tx.db, workspaceId, campaignId)
  if (!row) return false
  await emit(tx, workspaceId, [
    {
      type: 'campaign.completed',
      campaign: row,
      leadEmail: null,
      data: { campaign: toRecord(row, tx.now()), previous_status: 'active' },
    },
  ])
  return true
}

/**
 * Adds to the counters of a campaign, in the transaction that changed its leads and as its last
 * statement: the row is locked until the commit, and every change of the campaign's leads needs it.
 */
export const addLeadCounts = (
  tx: Context,
  workspaceId: string,
  campaignId: string,
  by: Partial<queries.LeadCounts>,
) => queries.addLeadCounts(tx.db, workspaceId, campaignId, { ...none, ...by })

const none: queries.LeadCounts = {
  total: 0,
  active: 0,
  completed: 0,
  replied: 0,
  bounced: 0,
  unsubscribed: 0,
}
