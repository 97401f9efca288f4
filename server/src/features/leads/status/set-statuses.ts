import type { Context } from '../../../kernel/context.ts'
import { markLeadsDue } from '../../mailbox-lanes/index.ts'
import { findSuppressed } from '../../suppression/index.ts'
import { ChangingLead, changeLeads } from '../change-leads.ts'
import { isErased, isSending, type LockedLead } from '../record.ts'
import { type NewStatus, planStatusChange } from './plan-status-change.ts'
import { resumed } from './resume.ts'

export interface StatusesSet {
  /** Those that changed: the others are so already, or refused. */
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
  const changed: ChangingLead[] = []
  const refused: StatusesSet['refused'] = []
  const due = new Set<string>()
  const customInterestValue = target.kind === 'label' ? target.label.value : null
  for (const lead of leads) {
    const change = isErased(lead)
      ? ({ kind: 'refused', message: erased } as const)
      : planStatusChange(lead, target, { suppressed: suppressed.has(lead.email_folded) })
    if (change.kind === 'refused') refused.push({ lead, message: change.message })
    if (change.kind !== 'changed') continue
    const data = { previous_status: lead.status }
    const told = change.event ? [{ type: change.event, data, customInterestValue }] : []
    const isResumed = isSending(change.patch.sending_state)
    const { patch, events } = isResumed
      ? await resumed(tx, lead, change.patch)
      : { patch: change.patch, events: told }
    const one = new ChangingLead(lead)
    one.change(patch, events, tx.now())
    changed.push(one)
    if (isResumed) due.add(lead.campaign_id)
  }
  await changeLeads(tx, workspaceId, changed)
  if (due.size > 0) await markLeadsDue(tx, workspaceId, [...due])
  return { changed, refused }
}

export const erased = 'The person was erased; there is nobody left to change.'
