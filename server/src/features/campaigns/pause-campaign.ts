import type { Context } from '../../kernel/context.ts'
import { emit } from '../events/index.ts'
import { getCampaign } from './campaigns.ts'
import * as queries from './queries.ts'

/**
 * Pauses a campaign by the service's own decision and says why; one that is not active stays as it is.
 *
 * @param reason as `status_reason` tells it
 */
export async function pauseCampaign(
  tx: Context,
  workspaceId: string,
  id: string,
  reason: 'bounce_protection',
): Promise<void> {
  const paused = await queries.pauseActive(tx.db, workspaceId, id, reason, tx.now())
  if (!paused) return
  const campaign = await getCampaign(tx, workspaceId, id)
  await emit(tx, workspaceId, [
    {
      type: 'campaign.paused',
      campaign,
      leadEmail: null,
      data: { campaign, previous_status: 'active' },
    },
  ])
}
