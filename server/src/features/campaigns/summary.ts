import type { Context } from '../../kernel/context.ts'
import { type Page, type PageRequest, toPage } from '../../kernel/http/page.ts'
import { sumCampaigns } from '../daily-counts/index.ts'
import { type CampaignFilter, readPage } from './campaigns.ts'
import { readFacts } from './queries.ts'
import { toRecord } from './record.ts'
import type { Campaign } from './schema.ts'
import { nextSendAt } from './sending-status/next-send-at.ts'

/** A campaign in the list that people look at. */
export interface CampaignSummary
  extends Pick<
    Campaign,
    | 'id'
    | 'name'
    | 'status'
    | 'status_reason'
    | 'lead_counts'
    | 'sending_status'
    | 'timestamp_created'
    | 'timestamp_updated'
  > {
  steps: number
  mailboxes: number
  /** Leads that got their first mail. */
  contacted: number
  auto_replied: number
  interested: number
  /** Null while it sends, and where nobody knows. */
  next_send_at: Date | null
}

/** Newest first, with what they came to. */
export async function listSummaries(
  ctx: Context,
  workspaceId: string,
  page: PageRequest,
  filter: CampaignFilter,
): Promise<Page<CampaignSummary>> {
  const now = ctx.now()
  const { items: rows, ...rest } = toPage(
    await readPage(ctx, workspaceId, page, filter),
    page.limit,
  )
  const ids = rows.map(({ id }) => id)
  const facts = ids.length === 0 ? [] : await readFacts(ctx.db, workspaceId, ids, now)
  const factsById = new Map(facts.map((each) => [each.id, each]))
  const totals = await sumCampaigns(ctx.db, workspaceId, ids)
  const totalsById = new Map(totals.map(({ campaign_id, ...sums }) => [campaign_id, sums]))
  const items = rows.map((row) => {
    const { sending_facts = null, leads_waiting = 0 } = factsById.get(row.id) ?? {}
    const campaign = toRecord({ ...row, sending_facts, leads_waiting }, now)
    return {
      ...shown(campaign),
      ...(totalsById.get(row.id) ?? { contacted: 0, auto_replied: 0, interested: 0 }),
      next_send_at: nextSendAt(row, sending_facts, campaign.sending_status.reason, now),
    }
  })
  return { items, ...rest }
}

const shown = (campaign: Campaign) => ({
  id: campaign.id,
  name: campaign.name,
  status: campaign.status,
  status_reason: campaign.status_reason,
  lead_counts: campaign.lead_counts,
  sending_status: campaign.sending_status,
  timestamp_created: campaign.timestamp_created,
  timestamp_updated: campaign.timestamp_updated,
  steps: campaign.sequences.flatMap(({ steps }) => steps).length,
  mailboxes: campaign.email_list.length,
})
