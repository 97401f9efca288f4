import type { Context } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { getCampaign } from '../campaigns/index.ts'
import { findLeadById, isErased, leadRecord } from '../leads/index.ts'
import { whyNotSent } from '../previews/index.ts'
import * as queries from './queries.ts'
import type { LeadOverview } from './schema.ts'

/** A lead, where it is in its sequence, and what keeps it from getting the next mail. */
export async function getLeadOverview(
  ctx: Context,
  workspaceId: string,
  id: string,
): Promise<LeadOverview> {
  const lead = await findLeadById(ctx.db, workspaceId, id)
  if (!lead) throw notFound('lead')
  const campaign = await getCampaign(ctx, workspaceId, lead.campaign_id)
  const [reasons, campaigns] = await Promise.all([
    whyNotSent(ctx, lead),
    queries.listCampaignsOf(ctx.db, workspaceId, lead.email_folded),
  ])
  const isSending = lead.sending_state === 'pending' || lead.sending_state === 'active'
  return {
    lead: leadRecord(lead),
    label_id: lead.label_id,
    campaign_name: campaign.name,
    steps_total: campaign.sequences[0]?.steps.length ?? 0,
    mailbox_id: lead.mailbox_id,
    reasons: [
      ...reasons,
      ...(isSending && lead.skip_reason
        ? [`The next mail was held back: ${lead.skip_reason}. Mend it and resume the lead.`]
        : []),
      ...(isSending ? whyCampaignWaits(campaign.status) : []),
    ],
    campaigns,
    is_erased: isErased(lead),
  }
}

function whyCampaignWaits(status: string): string[] {
  if (status === 'draft') return ['The campaign is a draft: launch it, and it writes to this lead.']
  if (status === 'paused') return ['The campaign is paused: resume it, and it goes on.']
  if (status === 'completed') {
    return ['The campaign is completed: resume it, and it goes on.']
  }
  return []
}
