import type { Context } from '../../kernel/context.ts'
import { addLeadCounts, completeIfFinished, type LeadCounts } from '../campaigns/index.ts'
import { emit, type NewEvent } from '../events/index.ts'
import * as queries from './queries.ts'
import { type LeadState, type LockedLead, leadRecord, type StoredLead } from './record.ts'

/** A locked lead and what is to become of it. */
export interface ChangedLead {
  lead: LockedLead
  patch: Partial<LeadState>
  /** Type of the event to write. */
  event: string | null
}

/**
 * Changes leads, tells so in events and counts it in their campaigns, all in the caller's
 * transaction. Counters come last, in campaign order: their rows are what every other change of
 * these campaigns waits for.
 *
 * @param customInterestValue of the label that the leads are given
 * @returns the leads that are different now, by id
 */
export async function changeLeads(
  tx: Context,
  workspaceId: string,
  changes: ChangedLead[],
  customInterestValue: string | null,
): Promise<Map<string, StoredLead>> {
  const states = changes
    .filter(({ patch }) => Object.keys(patch).length > 0)
    .map(({ lead, patch }) => ({ ...lead, ...patch }))
  if (states.length === 0) return new Map()
  const rows = await queries.updateStates(tx.db, workspaceId, states, tx.now())
  const stored = new Map(rows.map((row) => [row.id, row]))
  const events = changes.flatMap(({ lead, event }): NewEvent[] => {
    const now = stored.get(lead.id)
    return now && event ? [eventOf(lead, now, event as NewEvent['type'], customInterestValue)] : []
  })
  await emit(tx, workspaceId, events)
  await count(
    tx,
    workspaceId,
    changes.flatMap(({ lead }) => {
      const now = stored.get(lead.id)
      return now ? [{ campaignId: lead.campaign_id, by: difference(lead, now) }] : []
    }),
  )
  return stored
}

const eventOf = (
  before: LockedLead,
  now: StoredLead,
  type: NewEvent['type'],
  customInterestValue: string | null,
): NewEvent => ({
  type,
  campaign: { id: before.campaign_id, name: before.campaign_name },
  leadEmail: now.email,
  customInterestValue,
  data: { lead: leadRecord(now), previous_status: before.status },
})

/** An address has one lead in a campaign, so each campaign is here once. */
async function count(
  tx: Context,
  workspaceId: string,
  differences: { campaignId: string; by: LeadCounts }[],
) {
  const counted = differences
    .filter(({ by }) => Object.values(by).some((number) => number !== 0))
    .toSorted((a, b) => (a.campaignId < b.campaignId ? -1 : 1))
  for (const { campaignId, by } of counted) await addLeadCounts(tx, workspaceId, campaignId, by)
  for (const { campaignId, by } of counted) {
    if (by.active < 0) await completeIfFinished(tx, workspaceId, campaignId)
  }
}

function difference(before: StoredLead, now: StoredLead): LeadCounts {
  const [from, to] = [countsOf(before), countsOf(now)]
  return {
    total: 0,
    active: to.active - from.active,
    completed: to.completed - from.completed,
    replied: to.replied - from.replied,
    bounced: to.bounced - from.bounced,
    unsubscribed: to.unsubscribed - from.unsubscribed,
  }
}

/** How one lead counts in its campaign's `lead_counts`. */
const countsOf = (lead: StoredLead): Omit<LeadCounts, 'total'> => ({
  active: Number(lead.sending_state !== 'finished' && lead.sending_state !== 'stopped'),
  completed: Number(lead.sending_state === 'finished'),
  replied: Number(lead.email_reply_count > 0),
  bounced: Number(lead.stop_reason === 'bounced'),
  unsubscribed: Number(lead.stop_reason === 'unsubscribed'),
})
