import type { Context } from '../../kernel/context.ts'
import { type CampaignRow, type FactsRow, readFacts } from './queries.ts'
import type { Campaign } from './schema.ts'
import { sendingStatus } from './sending-status/sending-status.ts'

/** The campaign as the API shows it at this moment. */
export function toRecord(row: CampaignRow & FactsRow, now: Date): Campaign {
  const { sending_facts, former_senders, leads_waiting, ...shown } = row
  const { total, active, completed, replied, bounced, unsubscribed, ...campaign } = shown
  return {
    ...campaign,
    lead_counts: {
      total: total ?? 0,
      active: active ?? 0,
      completed: completed ?? 0,
      replied: replied ?? 0,
      bounced: bounced ?? 0,
      unsubscribed: unsubscribed ?? 0,
    },
    sending_status: sendingStatus({ ...row, leadsActive: active ?? 0 }, now),
  }
}

/** Campaigns of one workspace; one statement more where some of them are active or paused. */
export async function toRecords(
  ctx: Context,
  workspaceId: string,
  rows: CampaignRow[],
): Promise<Campaign[]> {
  const now = ctx.now()
  const ids = rows.filter(({ status }) => hasFacts.has(status)).map(({ id }) => id)
  const facts = ids.length === 0 ? [] : await readFacts(ctx.db, workspaceId, ids, now)
  const factsById = new Map(facts.map(({ id, ...columns }) => [id, columns]))
  return rows.map((row) => toRecord({ ...row, ...(factsById.get(row.id) ?? noFacts) }, now))
}

const hasFacts = new Set<CampaignRow['status']>(['active', 'paused'])
const noFacts: FactsRow = { sending_facts: null, leads_waiting: 0 }
