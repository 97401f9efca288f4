import type { Context } from '../../kernel/context.ts'
import { tellPages } from '../live/index.ts'
import * as queries from './queries.ts'
import type { LeadCounts } from './schema.ts'
import { completeIfFinished } from './service-transitions.ts'

/**
 * Adds to the counters of campaigns, in the transaction that changed their leads and as its last
 * statement: the rows are locked until the commit, and every change of these campaigns' leads needs
 * them. Campaigns that are left with nobody to write to are completed.
 *
 * @returns ids of those that are completed by this call
 */
export async function addLeadCounts(
  tx: Context,
  workspaceId: string,
  changes: Map<string, Partial<LeadCounts>>,
): Promise<string[]> {
  if (changes.size === 0) return []
  tellPages(tx, workspaceId, ['campaigns', 'leads'])
  const rows = await queries.addLeadCounts(
    tx.db,
    workspaceId,
    [...changes].map(([campaign_id, by]) => ({ campaign_id, ...none, ...by })),
  )
  const done = rows.filter(({ active }) => active === 0).map(({ campaign_id }) => campaign_id)
  const completed: string[] = []
  for (const campaignId of done.sort()) {
    if (await completeIfFinished(tx, workspaceId, campaignId)) completed.push(campaignId)
  }
  return completed
}

/**
 * In campaign order, as everybody who adds to several: for whoever does so in more than one call. After
 * all leads, and before the first.
 */
export const lockLeadCounts = (tx: Context, workspaceId: string, campaignIds: string[]) =>
  queries.lockLeadCounts(tx.db, workspaceId, campaignIds)

const none: LeadCounts = {
  total: 0,
  active: 0,
  completed: 0,
  replied: 0,
  bounced: 0,
  unsubscribed: 0,
}
