import type { Context } from '../../../kernel/context.ts'
import { markLeadsDue } from '../../mailbox-lanes/index.ts'
import { findSuppressed } from '../../suppression/index.ts'
import { recordActivities } from '../activity/record-activity.ts'
import { ChangingLead, changeLeads } from '../change-leads.ts'
import * as leadQueries from '../queries.ts'
import { isErased, isSending } from '../record.ts'
import { resumed } from '../status/resume.ts'
import { readTarget } from '../status/set-status.ts'
import { type NewStatus, planStatusChange } from '../status/status.ts'
import { deleteUntouched } from './delete.ts'
import { move } from './move.ts'
import { erased, missing, type Outcome, refusal } from './outcome.ts'
import * as queries from './queries.ts'

/** Does it to these leads, in the caller's transaction. */
export async function applyTo(
  tx: Context,
  workspaceId: string,
  action: queries.JobAction,
  ids: string[],
): Promise<Outcome> {
  if (ids.length === 0) return { changed: 0, refusals: [], undo: [] }
  if (action.kind === 'move') return move(tx, workspaceId, action.campaign_id, ids)
  if (action.kind === 'delete') return deleteUntouched(tx, workspaceId, ids)
  const target = await readTarget(tx, workspaceId, statusOf(action))
  const isUnsubscribe = target.kind === 'builtin' && target.status === 'unsubscribed'
  return isUnsubscribe ? unsubscribe(tx, workspaceId, ids) : setStatus(tx, workspaceId, target, ids)
}

function statusOf(action: Exclude<queries.JobAction, { kind: 'move' }>): string {
  if (action.kind === 'set_status') return action.status
  const statuses = { pause: 'paused', resume: 'active', unsubscribe: 'unsubscribed' } as const
  return action.kind === 'delete' ? '' : statuses[action.kind]
}

async function setStatus(
  tx: Context,
  workspaceId: string,
  target: NewStatus,
  ids: string[],
): Promise<Outcome> {
  const leads = await leadQueries.lockLeads(tx.db, workspaceId, ids)
  const suppressed = await findSuppressed(
    tx.db,
    workspaceId,
    leads.map((lead) => lead.email_folded),
  )
  const refusals = missing(ids, leads)
  const changing: ChangingLead[] = []
  const due = new Set<string>()
  const now = tx.now()
  const customInterestValue = target.kind === 'label' ? target.label.value : null
  for (const lead of leads) {
    const change = isErased(lead)
      ? ({ kind: 'refused', message: erased } as const)
      : planStatusChange(lead, target, { suppressed: suppressed.has(lead.email_folded) })
    if (change.kind === 'refused') refusals.push(refusal(lead, change.message))
    if (change.kind !== 'changed') continue
    const data = { previous_status: lead.status }
    const told = change.event ? [{ type: change.event, data, customInterestValue }] : []
    const isResumed = isSending(change.patch.sending_state)
    const { patch, events } = isResumed
      ? await resumed(tx, lead, change.patch)
      : { patch: change.patch, events: told }
    const one = new ChangingLead(lead)
    one.change(patch, events, now)
    changing.push(one)
    if (isResumed) due.add(lead.campaign_id)
  }
  await changeLeads(tx, workspaceId, changing)
  if (due.size > 0) await markLeadsDue(tx, workspaceId, [...due])
  const undo = changing.map(({ before }) => queries.undoneLead(before, now))
  return { changed: changing.length, refusals, undo }
}

async function unsubscribe(tx: Context, workspaceId: string, ids: string[]): Promise<Outcome> {
  // Suppressions are locked before any lead is, so these are only looked at.
  const leads = await leadQueries.listLeadsById(tx.db, workspaceId, ids)
  const gone = leads.filter(isErased)
  const stopping = leads.filter((lead) => !isErased(lead) && lead.stop_reason !== 'unsubscribed')
  const activities = stopping.map(({ id }) => ({ kind: 'unsubscribed' as const, leadId: id }))
  if (activities.length > 0) await recordActivities(tx, workspaceId, activities)
  return {
    changed: stopping.length,
    refusals: [...missing(ids, leads), ...gone.map((lead) => refusal(lead, erased))],
    undo: null,
  }
}
