import { dayOf } from '../../../kernel/calendar.ts'
import type { Context } from '../../../kernel/context.ts'
import { lockLeadCounts } from '../../campaigns/index.ts'
import { lockCampaignDays } from '../../daily-counts/index.ts'
import { uncountLeads } from '../change-leads.ts'
import * as leadQueries from '../queries.ts'
import { isErased, type LockedLead } from '../record.ts'
import { erased } from '../status/set-statuses.ts'
import { missing, type Outcome, refusal } from './outcome.ts'
import * as queries from './queries.ts'

export async function deleteUntouched(
  tx: Context,
  workspaceId: string,
  ids: string[],
): Promise<Outcome> {
  const leads = await leadQueries.lockLeads(tx.db, workspaceId, ids)
  const campaigns = [...new Set(leads.map((lead) => lead.campaign_id))]
  await lockLeadCounts(tx, workspaceId, campaigns)
  await keepClaimsWaiting(tx, workspaceId, campaigns)
  const untouched = await queries.findUntouched(tx.db, workspaceId, ids)
  const going = leads.filter(({ id }) => untouched.has(id))
  await removeLeads(tx, workspaceId, going)
  const kept = leads.filter(({ id }) => !untouched.has(id))
  return {
    changed: going.length,
    refusals: [
      ...missing(ids, leads),
      ...kept.map((lead) => refusal(lead, isErased(lead) ? erased : writtenTo)),
    ],
    undo: null,
  }
}

/**
 * Whoever claims a mail locks the day of its campaign before the claim is written: one that was faster is
 * seen by `findUntouched`, and one that comes later is written after this transaction, and its mark, which
 * looks at the lead again before anything is sent, is refused. The days come after the leads and the
 * counters of their campaigns, as in settlements; while those are locked no other campaign becomes active.
 */
export async function keepClaimsWaiting(tx: Context, workspaceId: string, campaignIds: string[]) {
  if (campaignIds.length === 0) return
  const active = await queries.listActive(tx.db, workspaceId, campaignIds)
  // By whatever zone they are counted.
  const today = Temporal.PlainDate.from(dayOf('UTC', tx.now()))
  const days = [-1, 0, 1].map((by) => today.add({ days: by }).toString())
  const wanted = active.flatMap(({ id }) =>
    days.map((day) => ({ workspace_id: workspaceId, id, day })),
  )
  if (wanted.length > 0) await lockCampaignDays(tx.db, wanted)
}

export async function removeLeads(tx: Context, workspaceId: string, leads: LockedLead[]) {
  if (leads.length === 0) return
  await queries.deleteLeads(
    tx.db,
    workspaceId,
    leads.map(({ id }) => id),
  )
  await uncountLeads(tx, workspaceId, leads)
}

const writtenTo =
  'The lead was written to, and what was sent stays known. Pause it, or have an admin erase the person.'
