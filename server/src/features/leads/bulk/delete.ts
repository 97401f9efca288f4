import type { Context } from '../../../kernel/context.ts'
import { countInCampaigns } from '../change-leads.ts'
import { lockAgainstClaims } from '../claims-lock-queries.ts'
import { isErased, type LockedLead } from '../record.ts'
import { erased } from '../status/set-statuses.ts'
import { missing, type Outcome, refusal } from './outcome.ts'
import * as queries from './queries.ts'

export async function deleteUntouched(
  tx: Context,
  workspaceId: string,
  ids: string[],
): Promise<Outcome> {
  const leads = await lockAgainstClaims(tx, workspaceId, ids)
  const untouched = await queries.findUntouched(tx.db, workspaceId, ids)
  const going = leads.filter(({ id }) => untouched.has(id))
  await removeLeads(tx, workspaceId, going)
  const kept = leads.filter(({ id }) => !untouched.has(id))
  return {
    ...{ changed: going.length, toldOf: [] },
    refusals: [
      ...missing(ids, leads),
      ...kept.map((lead) => refusal(lead, isErased(lead) ? erased : writtenTo)),
    ],
    undo: null,
  }
}

export async function removeLeads(tx: Context, workspaceId: string, leads: LockedLead[]) {
  if (leads.length === 0) return
  await queries.deleteLeads(
    tx.db,
    workspaceId,
    leads.map(({ id }) => id),
  )
  await countInCampaigns(
    tx,
    workspaceId,
    leads.map((was) => ({ was })),
  )
}

const writtenTo =
  'The lead was written to, and what was sent stays known. Pause it, or have an admin erase the person.'
