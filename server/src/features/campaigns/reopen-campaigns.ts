import type { Context } from '../../kernel/context.ts'
import { emit } from '../events/index.ts'
import { markCampaignsChanged } from '../mailbox-lanes/index.ts'
import { getCampaign } from './campaigns.ts'
import * as queries from './queries.ts'

/**
 * Completed campaigns are active again when leads come back to them that they were completed without: a
 * mail had not left after all, or a change was undone. Where others wait as well, which were added since,
 * it is for a person to activate the campaign. After its counters, as whoever completes one.
 *
 * @param returned how many leads came back, by campaign
 */
export async function reopenCampaigns(
  tx: Context,
  workspaceId: string,
  returned: Map<string, number>,
) {
  for (const id of [...returned.keys()].sort()) {
    const reopened = await queries.reopenCompleted(tx.db, workspaceId, {
      ...{ id, active: returned.get(id) ?? 0, at: tx.now() },
    })
    if (!reopened) continue
    const campaign = await getCampaign(tx, workspaceId, id)
    await emit(tx, workspaceId, [
      {
        type: 'campaign.activated',
        campaign,
        leadEmail: null,
        data: { campaign, previous_status: 'completed' },
      },
    ])
    await markCampaignsChanged(tx, workspaceId, [id])
  }
}
