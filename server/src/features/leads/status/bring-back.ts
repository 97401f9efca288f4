import type { Context } from '../../../kernel/context.ts'
import type { HeldSteps } from '../../campaigns/index.ts'
import { type Label, listLabels } from '../../labels/index.ts'
import { markLeadsDue } from '../../mailbox-lanes/index.ts'
import { findSuppressed } from '../../suppression/index.ts'
import * as related from '../activity/activity-queries.ts'
import type { ActivityChange } from '../activity/plan-activity.ts'
import { ChangingLead, changeLeads } from '../change-leads.ts'
import * as queries from '../queries.ts'
import {
  hasFailedTemplate,
  isErased,
  isOpen,
  type LeadState,
  type LockedLead,
  type StoredLead,
  sendingAgain,
} from '../record.ts'
import { findStoppedByColleague } from './colleagues.ts'
import { findStopsSince, type StopReason } from './missed-stops.ts'
import { automaticStatus, sendingByStatus } from './plan-status-change.ts'
import { holdStepsOfCampaigns, planResume } from './resume.ts'

/** A lead that was stopped with its address, as it was and as it is now. */
export interface BroughtBack {
  lead_id: string
  campaign_id: string
  campaign_name: string
  previous_stop_reason: StopReason
  sending_state: StoredLead['sending_state']
  stop_reason: StoredLead['stop_reason']
  timestamp_next_send: Date | null
}

/**
 * Leads of an address that were stopped for these reasons go on where they were. What was paused,
 * finished or stopped before that is so again; who has answered stays stopped for that, and so does
 * whose colleague or machine has where that stops them, and who was moved on; who had got every step is finished. A status that
 * a person gave them does what it does to a lead that is sent to. All others are written to again. Their status is
 * what they did, as far as is known.
 *
 * Suppressions are locked before, by whoever lifts one.
 */
export async function bringBackLeads(
  tx: Context,
  workspaceId: string,
  address: string,
  reasons: StopReason[],
): Promise<BroughtBack[]> {
  const ids = (await related.findIdsByAddress(tx.db, workspaceId, [address])).map(({ id }) => id)
  return bringBack(tx, workspaceId, ids, reasons)
}

/**
 * Leads of an address that would go on now, were it not blocked by another entry, too: that is why they
 * stay stopped, and lifting it brings them back. Those that stay bounced are not unsubscribed any more, once
 * that is lifted. Suppressions are locked before, as above.
 */
export async function stayBlocked(
  tx: Context,
  workspaceId: string,
  address: string,
  reasons: StopReason[],
) {
  const ids = (await related.findIdsByAddress(tx.db, workspaceId, [address])).map(({ id }) => id)
  const leads = await lockStopped(tx, workspaceId, ids, [...reasons, 'bounced'])
  for (const lead of leads) {
    const { status, stop_reason } = lead.now
    if (reasons.some((each) => each === stop_reason)) {
      const patch = { status: statusWithoutStop(lead.now), stop_reason: 'blocked' } as const
      lead.change(patch, [], tx.now())
    } else if (status === 'unsubscribed' && reasons.includes('unsubscribed')) {
      lead.change({ status: 'bounced' }, [], tx.now())
    }
  }
  await changeLeads(tx, workspaceId, leads)
}

/**
 * Brings back, as `bringBackLeads` does, everybody at a domain who was stopped as blocked, some of them in
 * id order from behind `after`. Who is suppressed for another reason stays stopped.
 *
 * @returns also the last that it looked at; nothing: there are no more
 */
export async function bringBackLeadsAt(
  tx: Context,
  workspaceId: string,
  domain: string,
  after: string,
): Promise<{ leads: BroughtBack[]; last: string | undefined }> {
  const found = await related.listBlockedAt(tx.db, workspaceId, domain, after, atOnce)
  const addresses = found.map(({ email_folded }) => email_folded)
  const suppressed = await findSuppressed(tx.db, workspaceId, addresses)
  const ids = found.filter(({ email_folded }) => !suppressed.has(email_folded)).map(({ id }) => id)
  return { leads: await bringBack(tx, workspaceId, ids, ['blocked']), last: found.at(-1)?.id }
}

const atOnce = 1000

async function bringBack(
  tx: Context,
  workspaceId: string,
  ids: string[],
  reasons: StopReason[],
): Promise<BroughtBack[]> {
  const leads = await lockStopped(tx, workspaceId, ids, reasons)
  const locked = leads.map(({ now }) => now)
  const stoppedByColleague = await findStoppedByColleague(tx, workspaceId, locked)
  const stopsSince = await findStopsSince(tx, workspaceId, locked)
  const labels = new Map(
    (await listLabels(tx.db, workspaceId, { archived: true })).map((label) => [label.id, label]),
  )
  const stepsOf = await holdStepsOfCampaigns(tx, workspaceId, locked)
  for (const lead of leads) {
    const { patch, events } = planReturn(lead.now, {
      steps: stepsOf.get(lead.now.campaign_id) as HeldSteps,
      label: lead.now.label_id === null ? undefined : labels.get(lead.now.label_id),
      hasColleagueAnswered: stoppedByColleague.has(lead.now.id),
      stopSince: stopsSince.get(lead.now.id),
      now: tx.now(),
    })
    lead.change(patch, events, tx.now())
  }
  await changeLeads(tx, workspaceId, leads)
  const going = leads.filter(({ now }) => now.sending_state !== 'stopped')
  const campaigns = new Set(going.map(({ now }) => now.campaign_id))
  await markLeadsDue(tx, workspaceId, [...campaigns])
  return leads.map(({ before, now }) => ({
    lead_id: now.id,
    campaign_id: now.campaign_id,
    campaign_name: now.campaign_name,
    previous_stop_reason: before.stop_reason as StopReason,
    sending_state: now.sending_state,
    stop_reason: now.stop_reason,
    timestamp_next_send: now.timestamp_next_send,
  }))
}

async function lockStopped(
  tx: Context,
  workspaceId: string,
  ids: string[],
  reasons: StopReason[],
): Promise<ChangingLead[]> {
  return (await queries.lockLeads(tx.db, workspaceId, ids))
    .filter((lead) => !isErased(lead) && reasons.some((reason) => reason === lead.stop_reason))
    .map((lead) => new ChangingLead(lead))
}

interface Meanwhile {
  steps: HeldSteps
  label: Label | undefined
  hasColleagueAnswered: boolean
  stopSince: StopReason | undefined
  now: Date
}

/** The status of the stop goes with it; what a person has set since stays. */
function statusWithoutStop(lead: LockedLead): string {
  if (lead.status !== 'bounced' && lead.status !== 'unsubscribed') return lead.status
  const rest = lead.stopped_from === 'finished' ? 'finished' : 'active'
  return automaticStatus({ ...lead, sending_state: rest, stop_reason: null })
}

/** What a person has set since decides. */
function planReturn(
  lead: LockedLead,
  { steps, label, hasColleagueAnswered, stopSince, now }: Meanwhile,
): ActivityChange {
  const { stopped_from } = lead
  const status = statusWithoutStop(lead)
  if (stopped_from === 'finished') {
    return { patch: { status, sending_state: 'finished', stop_reason: null }, events: [] }
  }
  if (stopped_from !== null && stopped_from !== 'paused') {
    return { patch: { status, stop_reason: stopped_from }, events: [] }
  }
  const hasAnswered = lead.email_reply_count > 0 && (lead.stop_on_reply || lead.stop_for_company)
  if (hasAnswered) return { patch: { status, stop_reason: 'replied' }, events: [] }
  if (hasColleagueAnswered) return { patch: { status, stop_reason: 'company_replied' }, events: [] }
  if (stopSince) return { patch: { status, stop_reason: stopSince }, events: [] }
  // What its mail lacked may have come meanwhile: that is tried anew.
  const stays =
    stopped_from === 'paused' && !hasFailedTemplate({ ...lead, sending_state: 'paused' })
  const isRefused = stays && lead.skip_reason?.startsWith('message_refused: ')
  const back: Pick<LeadState, 'status' | 'sending_state' | 'stop_reason' | 'skip_reason'> = {
    status,
    sending_state: stays ? 'paused' : sendingAgain(lead),
    stop_reason: null,
    skip_reason: isRefused ? lead.skip_reason : null,
  }
  const patch = { ...back, ...sendingByStatus({ ...lead, ...back }, label) }
  if (!isOpen(patch.sending_state)) return { patch, events: [] }
  return planResume(steps, { ...lead, ...patch }, patch, now)
}
