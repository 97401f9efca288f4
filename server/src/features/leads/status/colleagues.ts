import type { Context } from '../../../kernel/context.ts'
import * as related from '../activity/activity-queries.ts'
import { companyOf } from '../adding/company.ts'
import type { LockedLead } from '../record.ts'

/** Ids of those that an answer of their company would have stopped, had they been sent to then. */
export async function findStoppedByColleague(
  tx: Context,
  workspaceId: string,
  leads: LockedLead[],
): Promise<Set<string>> {
  const asked = leads.flatMap(({ id, campaign_id, email_folded, stop_for_company }) => {
    const company = stop_for_company ? companyOf(email_folded) : null
    return company === null ? [] : [{ id, campaign_id, company }]
  })
  if (asked.length === 0) return new Set()
  const found = await related.findWithAnsweredColleague(
    tx.db,
    workspaceId,
    asked.map(({ id }) => id),
    asked.map(({ campaign_id }) => campaign_id),
    asked.map(({ company }) => company),
  )
  return new Set(found.map(({ id }) => id))
}
