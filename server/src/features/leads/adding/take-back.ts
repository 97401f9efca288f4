import type { Context } from '../../../kernel/context.ts'
import { ChangingLead, changeLeads } from '../change-leads.ts'
import * as queries from '../queries.ts'
import type { LeadState, LockedLead } from '../record.ts'

/**
 * Steps that leads were thought to have got, and did not: they are next again, at once. What was told
 * of them in events stays told.
 */
export async function takeBackSteps(
  tx: Context,
  workspaceId: string,
  steps: { leadId: string; stepId: string; step: number; variant: number; day: string }[],
) {
  const byLead = Map.groupBy(steps, ({ leadId }) => leadId)
  const locked = await queries.lockLeads(tx.db, workspaceId, [...byLead.keys()])
  const leads = locked.map((lead) => new ChangingLead(lead))
  for (const lead of leads) {
    const taken = byLead.get(lead.now.id) ?? []
    for (const { stepId, day, ...mail } of taken) {
      if (!lead.now.sent_step_ids.includes(stepId)) continue
      lead.about(mail)
      lead.count('sent', day, -1)
    }
    const stepIds = new Set(taken.map(({ stepId }) => stepId))
    lead.change(withoutSteps(lead.now, stepIds, tx.now()), [], tx.now())
  }
  await changeLeads(tx, workspaceId, leads)
}

function withoutSteps(lead: LockedLead, stepIds: Set<string>, now: Date): Partial<LeadState> {
  const sent_step_ids = lead.sent_step_ids.filter((id) => !stepIds.has(id))
  if (sent_step_ids.length === lead.sent_step_ids.length) return {}
  const isFirst = sent_step_ids.length === 0
  const patch: Partial<LeadState> = {
    sent_step_ids,
    current_step: isFirst ? 0 : Math.max(1, lead.current_step - stepIds.size),
    ...(isFirst ? { mailbox_id: null, thread_subject: null } : {}),
    ...(lead.status === 'completed' ? { status: 'contacted' } : {}),
  }
  if (lead.sending_state === 'stopped') return patch
  if (lead.sending_state === 'paused') return { ...patch, timestamp_next_send: now }
  return { ...patch, sending_state: isFirst ? 'pending' : 'active', timestamp_next_send: now }
}
