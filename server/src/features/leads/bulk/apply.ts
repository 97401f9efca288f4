import type { Context } from '../../../kernel/context.ts'
import { firstIdAt } from '../../../kernel/ids.ts'
import { type HeldSteps, holdSteps, lockLeadCounts } from '../../campaigns/index.ts'
import { type Label, listLabels } from '../../labels/index.ts'
import { markLeadsDue } from '../../mailbox-lanes/index.ts'
import { findSuppressed } from '../../suppression/index.ts'
import { findAnswersSince } from '../activity/activity-queries.ts'
import type { ActivityChange } from '../activity/plan-activity.ts'
import { recordActivities } from '../activity/record-activity.ts'
import { addLeads, holdTarget, roomInPlan } from '../adding/add-leads.ts'
import { companyIn } from '../adding/company.ts'
import { ChangingLead, changeLeads, changeLeadsBack, uncountLeads } from '../change-leads.ts'
import * as leadQueries from '../queries.ts'
import { isErased, type LockedLead } from '../record.ts'
import type { LeadInput, SkipReason } from '../schema.ts'
import { findAnsweredFor } from '../status/colleagues.ts'
import { planResume, resumed } from '../status/resume.ts'
import { isSending, readTarget } from '../status/set-status.ts'
import { type NewStatus, planStatusChange, stopsByStatus } from '../status/status.ts'
import * as queries from './queries.ts'
import type { LeadJob } from './schema.ts'

type Refusal = LeadJob['refusals'][number]

/** What became of some leads. */
export interface Outcome {
  changed: number
  refusals: Refusal[]
  /** Null: there is no way back. */
  undo: queries.UndoneLead[] | null
}

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

async function deleteUntouched(tx: Context, workspaceId: string, ids: string[]): Promise<Outcome> {
  const leads = await leadQueries.lockLeads(tx.db, workspaceId, ids)
  const untouched = await queries.findUntouched(tx.db, workspaceId, ids)
  const going = leads.filter(({ id }) => untouched.has(id))
  await remove(tx, workspaceId, going)
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

/** Adds them to the other campaign; here they go, or stop where something was sent to them. */
async function move(
  tx: Context,
  workspaceId: string,
  campaignId: string,
  ids: string[],
): Promise<Outcome> {
  const input = { campaign_id: campaignId, overwrite: false, skip_if_in_workspace: false }
  const { plan_leads_max } = await holdTarget(tx, workspaceId, input)
  const leads = await leadQueries.lockLeads(tx.db, workspaceId, ids)
  const labels = new Map(
    (await listLabels(tx.db, workspaceId, { archived: true })).map((label) => [label.id, label]),
  )
  const refusals = missing(ids, leads)
  const going: LockedLead[] = []
  for (const lead of leads) {
    const label = lead.label_id === null ? undefined : labels.get(lead.label_id)
    const reason = whyNotMoved(lead, label, campaignId)
    if (reason) refusals.push(refusal(lead, reason))
    else going.push(lead)
  }
  if (going.length === 0) return { changed: 0, refusals, undo: null }
  const sources = going.map((lead) => lead.campaign_id)
  await lockLeadCounts(tx, workspaceId, [...new Set([...sources, campaignId])])
  const adding = { ...input, leads: going.map(inputOf) }
  const added = await addLeads(tx, workspaceId, adding, { othersGo: true })
  for (const { index, reason } of added.skipped_leads) {
    const lead = going[index]
    if (lead) refusals.push(refusal(lead, skipped[reason]))
  }
  await postponeAdded(tx, workspaceId, added.created_leads, going)
  const moved = added.created_leads.flatMap(({ index }) => going[index] ?? [])
  const untouched = await queries.findUntouched(
    tx.db,
    workspaceId,
    moved.map(({ id }) => id),
  )
  await remove(
    tx,
    workspaceId,
    moved.filter(({ id }) => untouched.has(id)),
  )
  await roomInPlan(tx, workspaceId, plan_leads_max, moved.length - untouched.size)
  const stopping = moved
    .filter(({ id, sending_state }) => !untouched.has(id) && isOpen(sending_state))
    .map((lead) => new ChangingLead(lead))
  for (const lead of stopping) {
    lead.change({ sending_state: 'stopped', stop_reason: 'manual' }, [], tx.now())
  }
  await changeLeads(tx, workspaceId, stopping)
  return { changed: moved.length, refusals, undo: null }
}

/** Null: it is moved. Whoever must not be written to at all is skipped as in any campaign. */
function whyNotMoved(
  lead: LockedLead,
  label: Label | undefined,
  campaignId: string,
): string | null {
  if (isErased(lead)) return erased
  if (lead.campaign_id === campaignId) return skipped.already_in_campaign
  if (lead.email_reply_count > 0) return notMoved.replied
  if (lead.stop_reason !== null) return notMoved[lead.stop_reason]
  // Of one that had got its last mail, a person's word changes the status alone.
  if (stopsByStatus(lead.status, label)) return notMoved.said
  // One that was skipped waits for nobody's word, and may lack nothing in the other campaign.
  const isHeldBack = lead.sending_state === 'paused' && lead.skip_reason === null
  return isHeldBack ? notMoved.paused : null
}

/** Who is absent is written to on return, whichever campaign does. */
async function postponeAdded(
  tx: Context,
  workspaceId: string,
  added: { index: number; id: string }[],
  going: LockedLead[],
) {
  const postponed = added.flatMap(({ index, id }) => {
    const until = going[index]?.postponed_until
    return until ? [{ id, until }] : []
  })
  if (postponed.length > 0) await queries.postponeAdded(tx.db, workspaceId, postponed)
}

async function remove(tx: Context, workspaceId: string, leads: LockedLead[]) {
  if (leads.length === 0) return
  await queries.deleteLeads(
    tx.db,
    workspaceId,
    leads.map(({ id }) => id),
  )
  await uncountLeads(tx, workspaceId, leads)
}

/**
 * Puts leads back to what they were, unless something happened to them since: also an automatic answer,
 * which changes nothing of a lead that is stopped, and would have put off one that is sent to. Whose
 * colleague has answered is not written to again where that stops them; who is goes on in the campaign
 * as it is now.
 */
export async function undoChange(
  tx: Context,
  workspaceId: string,
  undone: queries.UndoneLead[],
): Promise<Outcome> {
  const ids = undone.map(({ id }) => id)
  const leads = await leadQueries.lockLeads(tx.db, workspaceId, ids)
  const beforeOf = new Map(undone.map((lead) => [lead.id, lead]))
  const refusals = missing(ids, leads)
  const answered = await findAnswered(tx, workspaceId, leads, beforeOf)
  const answeredFor = await findAnsweredFor(tx, workspaceId, leads)
  const campaigns = await holdCampaigns(tx, workspaceId, leads)
  const changing: ChangingLead[] = []
  for (const lead of leads) {
    const before = beforeOf.get(lead.id) as queries.UndoneLead
    const isChanged = lead.timestamp_updated.toISOString() !== before.changed_at
    if (isChanged || answered.has(lead.id)) {
      refusals.push(refusal(lead, 'Something happened to the lead since; it stays as it is.'))
      continue
    }
    const steps = campaigns.get(lead.campaign_id) as HeldSteps
    const { patch, events } = planUndo(lead, before, {
      steps,
      isAnsweredFor: answeredFor.has(lead.id),
    })
    const one = new ChangingLead(lead)
    one.change(patch, events, tx.now())
    changing.push(one)
  }
  await changeLeadsBack(tx, workspaceId, changing)
  const sending = changing.filter(({ now }) => isSending(now.sending_state))
  if (sending.length > 0) {
    await markLeadsDue(tx, workspaceId, [...new Set(sending.map(({ now }) => now.campaign_id))])
  }
  return { changed: changing.length, refusals, undo: null }
}

/** Ids of those that an answer came from since they were changed. */
async function findAnswered(
  tx: Context,
  workspaceId: string,
  leads: LockedLead[],
  beforeOf: Map<string, queries.UndoneLead>,
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

async function holdCampaigns(
  tx: Context,
  workspaceId: string,
  leads: LockedLead[],
): Promise<Map<string, HeldSteps>> {
  const held = new Map<string, HeldSteps>()
  for (const id of [...new Set(leads.map(({ campaign_id }) => campaign_id))].sort()) {
    held.set(id, await holdSteps(tx.db, workspaceId, id))
  }
  return held
}

/** Its campaign may have been edited since, and only leads that are sent to follow that. */
function planUndo(
  lead: LockedLead,
  { id: _, changed_at: __, ...before }: queries.UndoneLead,
  { steps, isAnsweredFor }: { steps: HeldSteps; isAnsweredFor: boolean },
): ActivityChange {
  const patch = {
    ...before,
    timestamp_next_send: timeOf(before.timestamp_next_send),
    postponed_until: timeOf(before.postponed_until),
  }
  if (!isOpen(patch.sending_state)) return { patch, events: [] }
  if (isAnsweredFor) return { patch: { ...patch, ...stoppedForCompany }, events: [] }
  if (isSending(patch.sending_state)) return planResume(steps, { ...lead, ...patch }, patch)
  return { patch: { ...patch, company: companyIn(steps, lead) }, events: [] }
}

const stoppedForCompany = { sending_state: 'stopped', stop_reason: 'company_replied' } as const

const timeOf = (text: string | null) => (text === null ? null : new Date(text))

const isOpen = (state: LockedLead['sending_state']) => isSending(state) || state === 'paused'

type Named = Pick<LockedLead, 'id' | 'email'>

const refusal = ({ id, email }: Named, reason: string): Refusal => ({ lead_id: id, email, reason })

function missing(ids: string[], leads: { id: string }[]): Refusal[] {
  const found = new Set(leads.map(({ id }) => id))
  return ids
    .filter((id) => !found.has(id))
    .map((id) => ({ lead_id: id, email: null, reason: 'There is no such lead any more.' }))
}

const erased = 'The person was erased; there is nobody left to change.'
const writtenTo =
  'The lead was written to, and what was sent stays known. Pause it, or have an admin erase the person.'

const addInstead = 'If they are to be written to all the same, add the address there.'
const notMoved = {
  replied: `The person has answered. ${addInstead}`,
  auto_replied: `An automatic answer stopped the lead. ${addInstead}`,
  company_replied: `A colleague has answered, which stopped the lead. ${addInstead}`,
  manual: `The lead was stopped or moved before. ${addInstead}`,
  said: `The lead's status says that nobody writes to them any more. ${addInstead}`,
  paused: 'The lead is paused; resume it first.',
  ...{ bounced: null, unsubscribed: null, blocked: null },
}

const skipped: Record<SkipReason, string> = {
  invalid_email: 'The address is not valid.',
  duplicate_in_request: 'Another lead of the same address was moved there.',
  in_blocklist: 'The address or its domain is blocked.',
  unsubscribed: 'The address is unsubscribed.',
  bounced: 'Mail to the address came back.',
  in_workspace: 'The address is in another campaign.',
  already_in_campaign: 'The address is in that campaign already.',
}

const inputOf = (lead: LockedLead): LeadInput => ({
  email: lead.email,
  first_name: lead.first_name,
  last_name: lead.last_name,
  company_name: lead.company_name,
  company_domain: lead.company_domain,
  job_title: lead.job_title,
  phone: lead.phone,
  website: lead.website,
  personalization: lead.personalization,
  custom_variables: Object.fromEntries(
    Object.entries(lead.custom_variables).map(([name, value]) => [
      name,
      isHuge(value) ? String(value) : value,
    ]),
  ),
})

/** Such a number was taken once, and is taken as a text now. */
const isHuge = (value: unknown) =>
  typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER
