import type { Context } from '../../../kernel/context.ts'
import { getCampaign } from '../../campaigns/index.ts'
import { countVariables } from './variable-queries.ts'

export interface LeadVariables {
  /** How many leads were looked at: the newest that mails are still sent to. */
  leads: number
  items: { name: string; missing: number }[]
}

/** So many tell what a list has; looking through all of a long one would take seconds. */
const leadsMax = 10_000
const namesMax = 200

/** What mails of a campaign can say of its leads, and how many of them lack it. */
export async function listVariables(
  ctx: Context,
  workspaceId: string,
  campaignId: string,
): Promise<LeadVariables> {
  await getCampaign(ctx, workspaceId, campaignId)
  const rows = await countVariables(ctx.db, workspaceId, campaignId, { leadsMax, namesMax })
  const leads = rows[0]?.leads ?? 0
  const items = rows.flatMap(({ name, filled }) =>
    name === null ? [] : [{ name, missing: leads - filled }],
  )
  return { leads, items: items.slice(0, namesMax) }
}
