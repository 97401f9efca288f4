import { type AnyContext, inWorkspace } from '../../../kernel/context.ts'
import { type LeadActivity, recordActivities } from '../../leads/index.ts'
import { holdSuppressions } from '../../suppression/index.ts'
import { findSuppressedLeads } from './backlog-queries.ts'
import type { CachedCampaign } from './campaign-cache.ts'
import { holdCampaigns } from './campaign-queries.ts'
import type { Picked } from './pick-next.ts'

/** A lead that is never sent what is due, and why; by its campaign as it was planned from. */
export interface Skip {
  workspace_id: string
  campaign: CachedCampaign
  leadId: string
  reason: Picked['skips'][number]['reason']
}

const details = {
  expired: 'The time in which this step was to be sent has passed.',
  suppressed: 'The address, or its domain, is on the suppression list.',
}

/**
 * Skips leads of one workspace, where their campaign is as it was: a step that was added meanwhile is sent. Nor
 * is anybody skipped who was suppressed when they were read, which may be an hour ago, and no longer is.
 */
export async function skipLeads(tx: AnyContext, skips: Skip[]): Promise<undefined[]> {
  const [{ workspace_id } = { workspace_id: '' }] = skips
  const own = inWorkspace(tx, workspace_id)
  await holdSuppressions(own, workspace_id)
  const suppressed = await findSuppressedLeads(own.db, workspace_id, suppressedOf(skips))
  const campaigns = new Map(skips.map(({ campaign }) => [campaign.id, campaign]))
  const held = await holdCampaigns(own.db, [...campaigns.values()])
  const versions = new Map(held.map(({ id, version }) => [id, version.getTime()]))
  const current = skips.filter(
    ({ campaign, leadId, reason }) =>
      versions.get(campaign.id) === campaign.version.getTime() &&
      (reason !== 'suppressed' || suppressed.has(leadId)),
  )
  const activities = new Map(current.map((skip) => [skip.leadId, skipOf(skip)]))
  await recordActivities(own, workspace_id, [...activities.values()])
  return skips.map(() => undefined)
}

const skipOf = ({ leadId, reason }: Skip): LeadActivity =>
  reason === 'no_step_left'
    ? { kind: 'finished', leadId }
    : { kind: 'skipped', leadId, reason, detail: details[reason] }

const suppressedOf = (skips: Skip[]) =>
  skips.filter(({ reason }) => reason === 'suppressed').map(({ leadId }) => leadId)
