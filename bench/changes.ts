import { createCampaign } from '../server/src/features/campaigns/campaigns.ts'
import { addLeads } from '../server/src/features/leads/index.ts'
import type { FreeContext } from '../server/test/context.ts'

/**
 * A campaign for changes of its own: a status that a lead has already is none.
 *
 * @returns its id
 */
export async function prepareChanges(
  ctx: FreeContext,
  workspaceId: string,
  name: string,
  leads = 1000,
): Promise<string> {
  const { id } = await createCampaign(ctx, workspaceId, { name })
  await addLeads(ctx, workspaceId, {
    ...{ campaign_id: id, skip_if_in_workspace: false, overwrite: false },
    leads: Array.from({ length: leads }, (_, n) => ({ email: `lead${n}@example.com` })),
  })
  return id
}

/** The body of `lead/update/status` that load-process.ts makes many of. */
export const changeIn = (campaignId: string) => ({
  ...{ campaign_id: campaignId, email: 'lead{n}@example.com', new_status: '{word}' },
})
