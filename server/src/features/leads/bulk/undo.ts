import type { Context } from '../../../kernel/context.ts'
import { firstIdAt } from '../../../kernel/ids.ts'
import type { HeldSteps } from '../../campaigns/index.ts'
import { markLeadsDue } from '../../mailbox-lanes/index.ts'
import { findSuppressed } from '../../suppression/index.ts'
import { findAnswersSince, findMovedOn } from '../activity/activity-queries.ts'
import type { ActivityChange } from '../activity/plan-activity.ts'
import { companyIn } from '../adding/company.ts'
import { ChangingLead, changeLeadsAndReopen } from '../change-leads.ts'
import * as leadQueries from '../queries.ts'
import {
  hasFailedTemplate,
  isErased,
  isOpen,
  isSending,
  type LockedLead,
  sendingAgain,
} from '../record.ts'
import { findStoppedByColleague } from '../status/colleagues.ts'
import { holdStepsOfCampaigns, planResume } from '../status/resume.ts'
import { erased } from '../status/set-statuses.ts'
import { missing, type Outcome, refusal } from './outcome.ts'
import type * as queries from './queries.ts'

/**
 * Puts leads back to what they were, unless something happened to them since: also an automatic answer,
 * which changes nothing of a lead that is stopped, and would have put off one that is sent to. Whose
 * colleague has answered is not written to again where that stops them; who is goes on in the campaign
 * as it is now.
 */
export async function undoChange(
  tx: Context,
  workspaceId: string,
  undone: queries.LeadSnapshot[],
): Promise<Outcome> {
  const ids = undone.map(({ id }) => id)
  const leads = await leadQueries.lockLeads(tx.db, workspaceId, ids)
  const beforeOf = new Map(undone.map((lead) => [lead.id, lead]))
  const refusals = missing(ids, leads)
  const answered = await findAnswered(tx, workspaceId, leads, beforeOf)
  const movedOn = new Set((await findMovedOn(tx.db, workspaceId, ids)).map(({ id }) => id))
  const stoppedByColleague = await findStoppedByColleague(tx, workspaceId, leads)
  const suppressed = await findSuppressed(
    tx.db,
    workspaceId,
    leads.map((lead) => lead.email_folded),
  )
  const campaigns = await holdStepsOfCampaigns(tx, workspaceId, leads)
  const changing: ChangingLead[] = []
  for (const lead of leads) {
    const before = beforeOf.get(lead.id) as queries.LeadSnapshot
    if (isErased(lead)) {
      refusals.push(refusal(lead, erased))
      continue
    }
    const isChanged = lead.timestamp_updated.toISOString() !== before.changed_at
    if (isChanged || answered.has(lead.id)) {
      refusals.push(refusal(lead, 'Something happened to the lead since; it stays as it is.'))
      continue
    }
    if (isOpen(before.sending_state) && suppressed.has(lead.email_folded)) {
      refusals.push(refusal(lead, 'The address is on the suppression list; it stays as it is.'))
      continue
    }
    if (isOpen(before.sending_state) && movedOn.has(lead.id)) {
      refusals.push(refusal(lead, 'The lead was moved to another campaign; it stays as it is.'))
      continue
    }
    const steps = campaigns.get(lead.campaign_id) as HeldSteps
    const { patch, events } = planUndo(lead, before, {
      ...{ steps, now: tx.now() },
      hasColleagueAnswered: stoppedByColleague.has(lead.id),
    })
    const one = new ChangingLead(lead)
    one.change(patch, events, tx.now())
    changing.push(one)
  }
  await changeLeadsAndReopen(tx, workspaceId, changing)
  const sending = changing.filter(({ now }) => isSending(now.sending_state))
  if (sending.length > 0) {
    await markLeadsDue(tx, workspaceId, [...new Set(sending.map(({ now }) => now.campaign_id))])
  }
  const toldOf = changing.map(({ now }) => now.id)
  return { changed: changing.length, toldOf, refusals, undo: null }
}

/** Ids of those that an answer came from since they were changed. */
async function findAnswered(
  tx: Context,
  workspaceId: string,
  leads: LockedLead[],
  beforeOf: Map<string, queries.LeadSnapshot>,
): Promise<Set<string>> {
  const asked = leads.map(({ id, campaign_id }) => {
    const changedAt = new Date(beforeOf.get(id)?.changed_at ?? 0)
    return { id, campaign_id, company: null, since: firstIdAt(changedAt) }
  })
  const answers = await findAnswersSince(tx.db, workspaceId, asked)
  return new Set(
    answers.filter(({ replied, auto_replied }) => replied || auto_replied).map(({ id }) => id),
  )
}

/**
 * Its campaign may have been edited since, and only leads that are sent to follow that: one whose mail could
 * not be made is tried anew.
 */
function planUndo(
  lead: LockedLead,
  { id: _, changed_at, ...before }: queries.LeadSnapshot,
  {
    steps,
    hasColleagueAnswered,
    now,
  }: { steps: HeldSteps; hasColleagueAnswered: boolean; now: Date },
): ActivityChange {
  const patch = {
    ...before,
    ...(hasFailedTemplate(before) ? { sending_state: sendingAgain(lead), skip_reason: null } : {}),
    timestamp_next_send: timeOf(before.timestamp_next_send),
    postponed_until: timeOf(before.postponed_until),
  }
  if (!isOpen(patch.sending_state)) return { patch, events: [] }
  if (hasColleagueAnswered) return { patch: { ...patch, ...stoppedForCompany }, events: [] }
  if (isSending(patch.sending_state)) {
    // As long overdue as it was, which orders what is due.
    const overdueMs = Date.parse(changed_at) - (patch.timestamp_next_send ?? now).getTime()
    const since = new Date(now.getTime() - Math.max(overdueMs, 0))
    return planResume(steps, { ...lead, ...patch }, { ...patch, skip_reason: null }, now, since)
  }
  return { patch: { ...patch, company: companyIn(steps, lead) }, events: [] }
}

const stoppedForCompany = { sending_state: 'stopped', stop_reason: 'company_replied' } as const

const timeOf = (text: string | null) => (text === null ? null : new Date(text))
