import type { Context } from '../../../kernel/context.ts'
import * as related from '../activity/activity-queries.ts'
import type { LockedLead, StoredLead } from '../record.ts'
import { findAnsweredFor } from './colleagues.ts'

type StopReason = NonNullable<StoredLead['stop_reason']>

/**
 * What would have stopped each of these leads, had it been sent to when it came in: an answer of its own,
 * of a colleague, or of its machine, where the campaign stops for that.
 */
export async function findMissedStops(
  tx: Context,
  workspaceId: string,
  leads: LockedLead[],
): Promise<Map<string, StopReason>> {
  const automatic = leads.filter(({ stop_on_auto_reply }) => stop_on_auto_reply)
  const ids = automatic.map(({ id }) => id)
  const autoReplied = ids.length > 0 ? await related.findAutoReplied(tx.db, workspaceId, ids) : []
  const reasons = new Map<string, StopReason>(autoReplied.map(({ id }) => [id, 'auto_replied']))
  for (const id of await findAnsweredFor(tx, workspaceId, leads)) reasons.set(id, 'company_replied')
  for (const lead of leads) {
    // Where a reply stops everybody of a company, whoever replied is among them.
    const stops = lead.stop_on_reply || lead.stop_for_company
    if (lead.email_reply_count > 0 && stops) reasons.set(lead.id, 'replied')
  }
  return reasons
}
