import type { Context } from '../../../kernel/context.ts'
import { firstIdAt } from '../../../kernel/ids.ts'
import { findLabelById } from '../../labels/index.ts'
import * as related from '../activity/activity-queries.ts'
import { companyOf } from '../adding/company.ts'
import type { LockedLead, StoredLead } from '../record.ts'
import { stopsByStatus } from './plan-status-change.ts'

export type StopReason = NonNullable<StoredLead['stop_reason']>

/** The clock of whoever read an answer may be behind that of whoever sent the mail. */
const clockToleranceMs = 60_000

/**
 * What would have stopped each of these finished leads since their last mail, had they not been
 * finished: an answer of their own, of a colleague, or of a machine, where the campaign stops for
 * that, another campaign that they were moved on to, or a status that a person gave them.
 */
export async function findMissedStops(
  tx: Context,
  workspaceId: string,
  leads: LockedLead[],
): Promise<Map<string, StopReason>> {
  const reasons = await findStopsSince(tx, workspaceId, leads)
  for (const lead of leads.filter(({ id }) => !reasons.has(id))) {
    const label = lead.label_id ? await findLabelById(tx.db, workspaceId, lead.label_id) : undefined
    if (stopsByStatus(lead.status, label)) reasons.set(lead.id, 'manual')
  }
  return reasons
}

/**
 * By lead: the answer since its last mail that stops it, were it still sent to, or that it was moved on. Of
 * one that nothing was sent to since it is here: what it was moved with was known to who moved it.
 */
export async function findStopsSince(
  tx: Context,
  workspaceId: string,
  leads: LockedLead[],
): Promise<Map<string, StopReason>> {
  const reasons = new Map<string, StopReason>()
  if (leads.length === 0) return reasons
  const answers = await related.findAnswersSince(
    tx.db,
    workspaceId,
    leads.map((lead) => ({
      id: lead.id,
      campaign_id: lead.campaign_id,
      company: lead.stop_for_company ? companyOf(lead.email_folded) : null,
      since: firstIdAt(new Date(beganAt(lead).getTime() - clockToleranceMs)),
    })),
  )
  const answersOf = new Map(answers.map((answer) => [answer.id, answer]))
  const ids = leads.map(({ id }) => id)
  for (const { id } of await related.findMovedOn(tx.db, workspaceId, ids)) reasons.set(id, 'manual')
  for (const lead of leads) {
    const reason = reasonOf(lead, answersOf.get(lead.id))
    if (reason) reasons.set(lead.id, reason)
  }
  return reasons
}

const beganAt = ({ timestamp_last_contact, timestamp_created }: LockedLead) =>
  timestamp_last_contact ?? timestamp_created

function reasonOf(
  lead: LockedLead,
  answers: related.AnswersSince | undefined,
): StopReason | undefined {
  // Where a reply stops everybody of a company, whoever replied is among them.
  if (answers?.replied && (lead.stop_on_reply || lead.stop_for_company)) return 'replied'
  if (answers?.colleague_replied) return 'company_replied'
  return answers?.auto_replied && lead.stop_on_auto_reply ? 'auto_replied' : undefined
}
