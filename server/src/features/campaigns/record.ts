import type { Context } from '../../kernel/context.ts'
import { type CampaignRow, type FactsRow, readFacts, type StandingRow } from './queries.ts'
import type { Campaign } from './schema.ts'
import { nextSendAt } from './sending-status/next-send-at.ts'
import { sendingStatus } from './sending-status/sending-status.ts'

/** The campaign as the API shows it at this moment. */
function toRecord(row: CampaignRow & FactsRow, now: Date): Campaign {
  const { sending_facts, former_senders, leads_waiting, leads_held_back, held_back_for, ...shown } =
    row
  const { total, active, completed, replied, bounced, unsubscribed, ...campaign } = shown
  return { ...campaign, ...standing(row, now) }
}

/** What of a campaign changes without anybody who edits it. */
export const standing = (
  row: StandingRow & FactsRow,
  now: Date,
): Pick<Campaign, 'lead_counts' | 'sending_status'> => {
  const sendingNow = sendingStatus({ ...row, leadsActive: row.active ?? 0 }, now)
  return {
    lead_counts: {
      total: row.total ?? 0,
      active: row.active ?? 0,
      completed: row.completed ?? 0,
      replied: row.replied ?? 0,
      bounced: row.bounced ?? 0,
      unsubscribed: row.unsubscribed ?? 0,
    },
    sending_status: {
      ...sendingNow,
      next_send_at: nextSendAt(row, row.sending_facts, sendingNow.reason, now),
    },
  }
}

export async function toRecords(
  ctx: Context,
  workspaceId: string,
  rows: CampaignRow[],
): Promise<Campaign[]> {
  const now = ctx.now()
  return (await withFacts(ctx, workspaceId, rows, now)).map((row) => toRecord(row, now))
}

/** Campaigns of one workspace; one statement more where some of them are active or paused. */
export async function withFacts<Row extends StandingRow>(
  ctx: Context,
  workspaceId: string,
  rows: Row[],
  now: Date,
): Promise<(Row & FactsRow)[]> {
  const ids = rows.filter(({ status }) => hasFacts.has(status)).map(({ id }) => id)
  const facts = ids.length === 0 ? [] : await readFacts(ctx.db, workspaceId, ids, now)
  const factsById = new Map(facts.map(({ id, ...columns }) => [id, columns]))
  // Whoever was paused or completed since it was read is shown as that.
  return rows.map((row) => ({ ...row, ...(factsById.get(row.id) ?? noFacts) }))
}

const hasFacts = new Set<CampaignRow['status']>(['active', 'paused'])
const noFacts: FactsRow = {
  ...{ sending_facts: null, leads_waiting: 0, leads_held_back: 0, held_back_for: null },
}
