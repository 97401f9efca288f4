import type { Context } from '../../kernel/context.ts'
import { lockClaims } from './bulk/queries.ts'
import { lockLeads } from './queries.ts'
import type { LockedLead } from './record.ts'

/** Locks leads, and then the claims of their campaigns, in the order of all that do: none is claimed any more. */
export async function lockAgainstClaims(
  tx: Context,
  workspaceId: string,
  ids: string[],
): Promise<LockedLead[]> {
  const leads = await lockLeads(tx.db, workspaceId, ids)
  await lockClaims(tx.db, [...new Set(leads.map(({ campaign_id }) => campaign_id))])
  return leads
}
