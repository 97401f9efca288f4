import type { Context } from '../../../kernel/context.ts'
import { column } from '../../../kernel/db/column.ts'
import { markLeadsDue } from '../../mailbox-lanes/index.ts'
import { findSuppressed } from '../../suppression/index.ts'
import { ChangingLead, changeLeads } from '../change-leads.ts'
import { isErased, isSending, type LockedLead } from '../record.ts'
import { type NewStatus, planStatusChange } from './plan-status-change.ts'
import { holdStepsOfCampaigns, planResume } from './resume.ts'

export interface StatusesSet {
  /** The leads that changed: the others are so already, or refused. */
  changed: ChangingLead[]
  refused: { lead: LockedLead; message: string }[]
}

/** Gives locked leads a status that is not `unsubscribed`, in the caller's transaction. */
export async function setStatuses(
  tx: Context,
  workspaceId: string,
  target: NewStatus,
  leads: LockedLead[],
): Promise<StatusesSet> {
  const suppressed = await findSuppressed(
    tx.db,
    workspaceId,
    leads.map((lead) => lead.email_folded),
  )
  const planned = leads.map((lead) => ({
    lead,
    change: isErased(lead)
      ? ({ kind: 'refused', message: erased } as const)
      : planStatusChange(lead, target, { suppressed: suppressed.has(lead.email_folded) }),
  }))
  const resumed = planned.filter(
    ({ change }) => change.kind === 'changed' && isSending(change.patch.sending_state),
  )
  const stepsOf = await holdStepsOfCampaigns(tx, workspaceId, column(resumed, 'lead'))
  const changed: ChangingLead[] = []
  const refused: StatusesSet['refused'] = []
  const customInterestValue = target.kind === 'label' ? target.label.value : null
  for (const { lead, change } of planned) {
    if (change.kind === 'refused') refused.push({ lead, message: change.message })
    if (change.kind !== 'changed') continue
    const data = { previous_status: lead.status }
    const told = change.event ? [{ type: change.event, data, customInterestValue }] : []
    const steps = isSending(change.patch.sending_state) && stepsOf.get(lead.campaign_id)
    const { patch, events } = steps
      ? planResume(steps, lead, change.patch, tx.now())
      : { patch: change.patch, events: told }
    const one = new ChangingLead(lead)
    one.change(patch, events, tx.now())
    changed.push(one)
  }
  await changeLeads(tx, workspaceId, changed)
  if (stepsOf.size > 0) await markLeadsDue(tx, workspaceId, [...stepsOf.keys()])
  return { changed, refused }
}

export const erased = 'The person was erased; there is nobody left to change.'
