// What the service itself does to a campaign's status; `transition.ts` says what its people may do.
import type { Context } from '../../kernel/context.ts'
import { emit } from '../events/index.ts'
import { markCampaignsChanged } from '../mailbox-lanes/index.ts'
import { getCampaign } from './campaigns.ts'
import * as queries from './queries.ts'
import type { CampaignStatus } from './schema.ts'

/**
 * Pauses a campaign and says why; one that is not active stays as it is.
 *
 * @param reason as `status_reason` tells it
 */
export const pauseCampaign = (
  tx: Context,
  workspaceId: string,
  id: string,
  reason: 'bounce_protection',
): Promise<boolean> =>
  moveStatus(tx, workspaceId, id, { from: 'active', to: 'paused', reason }, 'campaign.paused')

/**
 * Completes an active campaign once it has leads and all of them are finished or stopped. After its
 * counters: whoever locks both rows then does so in this order.
 */
export const completeIfFinished = (
  tx: Context,
  workspaceId: string,
  id: string,
): Promise<boolean> =>
  moveStatus(
    ...([tx, workspaceId, id] as const),
    { from: 'active', to: 'completed', leadsActive: 0 },
    'campaign.completed',
  )

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
  for (const [id, leadsActive] of [...returned].sort()) {
    const change = { from: 'completed', to: 'active', leadsActive } as const
    const isReopened = await moveStatus(tx, workspaceId, id, change, 'campaign.activated')
    if (isReopened) await markCampaignsChanged(tx, workspaceId, [id])
  }
}

/** @returns false for a campaign that is not as the change wants it; it stays as it is */
async function moveStatus(
  tx: Context,
  workspaceId: string,
  id: string,
  change: { from: CampaignStatus; to: CampaignStatus; reason?: string; leadsActive?: number },
  type: 'campaign.activated' | 'campaign.completed' | 'campaign.paused',
): Promise<boolean> {
  const { from, to, reason = null, leadsActive = null } = change
  const [moved] = await queries.moveStatus(
    ...([tx.db, workspaceId, id, from, to, reason, leadsActive, tx.now()] as const),
  )
  if (!moved) return false
  const campaign = await getCampaign(tx, workspaceId, id)
  const data = { campaign, previous_status: from }
  await emit(tx, workspaceId, [{ type, campaign, leadEmail: null, data }])
  return true
}
