import type { Context } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { existsCampaign } from '../campaigns/lookup/index.ts'
import { missingIn } from '../messages/index.ts'
import * as queries from './queries.ts'
import type { HeldBack } from './schema.ts'

/** One variable may hold back every lead: of the others nobody is told why. */
const leadsMax = 1000
const reasonsMax = 5

/** Why the first leads of a campaign are held back, what holds back most of them first. */
export async function getHeldBack(
  { db }: Context,
  workspaceId: string,
  campaignId: string,
): Promise<HeldBack> {
  if (!(await existsCampaign(db, workspaceId, campaignId))) throw notFound('campaign')
  const rows = await queries.countHeldBack(db, workspaceId, campaignId, leadsMax)
  const reasons = rows.map(({ skip_reason, leads }) => {
    const reason = skip_reason.replace(/^\w+: /, '')
    return { leads, reason, missing: missingIn(reason) }
  })
  return {
    leads: rows.reduce((sum, { leads }) => sum + leads, 0),
    reasons: reasons.slice(0, reasonsMax),
  }
}
