import type { Context } from '../../kernel/context.ts'
import { type Page, type PageRequest, toPage } from '../../kernel/http/page.ts'
import { sumCampaigns } from '../daily-counts/index.ts'
import type { CampaignSummary } from './application-schema.ts'
import { type CampaignFilter, readSummaries } from './campaigns.ts'
import { standing, withFacts } from './record.ts'

/** Newest first, with what they came to. */
export async function listSummaries(
  ctx: Context,
  workspaceId: string,
  page: PageRequest,
  filter: CampaignFilter,
): Promise<Page<CampaignSummary>> {
  const now = ctx.now()
  const found = toPage(await readSummaries(ctx, workspaceId, page, filter), page.limit)
  const rows = await withFacts(ctx, workspaceId, found.items, now)
  const ids = rows.map(({ id }) => id)
  const totals = await sumCampaigns(ctx.db, workspaceId, ids)
  const totalsById = new Map(totals.map(({ campaign_id, ...sums }) => [campaign_id, sums]))
  const items = rows.map((row) => {
    const { lead_counts, sending_status } = standing(row, now)
    return {
      ...{ id: row.id, name: row.name, status: row.status, status_reason: row.status_reason },
      ...{ lead_counts, sending_status, steps: row.steps, mailboxes: row.mailboxes },
      ...{ timestamp_created: row.timestamp_created, timestamp_updated: row.timestamp_updated },
      ...(totalsById.get(row.id) ?? { contacted: 0, replied: 0, auto_replied: 0, interested: 0 }),
    }
  })
  return { ...found, items }
}
