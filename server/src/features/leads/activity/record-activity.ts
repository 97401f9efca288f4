import { dayOf } from '../../../kernel/calendar.ts'
import type { Context } from '../../../kernel/context.ts'
import { liftBounces, type NewSuppression, suppress } from '../../suppression/index.ts'
import { companyOf } from '../adding/company.ts'
import { ChangingLead, changeLeads } from '../change-leads.ts'
import * as queries from '../queries.ts'
import type { LockedLead, StoredLead } from '../record.ts'
import type { LeadActivity } from './activity.ts'
import * as related from './activity-queries.ts'
import {
  type ActivityChange,
  planActivity,
  planBlock,
  planCompanyStop,
  planMoved,
  planUnsubscribe,
} from './plan-activity.ts'

/**
 * Writes what happened to leads, in the caller's transaction: states, events, counters of campaigns,
 * the suppression list, and the other leads that it concerns. Who answers a mail can be reached: that
 * lifts a bounce of the address, and nothing else that is final. Activities of one lead follow each
 * other in the order given; of a lead that was deleted meanwhile they concern its address alone.
 *
 * Suppressions are locked first, then leads in id order, then counters in campaign order.
 *
 * @returns the leads it looked at, by id, as they are now
 */
export async function recordActivities(
  tx: Context,
  workspaceId: string,
  activities: LeadActivity[],
): Promise<Map<string, StoredLead>> {
  const ids = new Set(activities.map(({ leadId }) => leadId))
  const { places, others } = await findOthers(tx, workspaceId, activities)
  for (const id of others) ids.add(id)
  const locked = await queries.lockLeads(tx.db, workspaceId, [...ids])
  const late = await findMovedMeanwhile(tx, workspaceId, locked, places)
  if (late.length > 0) locked.push(...(await queries.lockLeads(tx.db, workspaceId, late)))
  const leads = locked.map((lead) => new ChangingLead(lead))
  change(leads, activities, places, tx.now())
  await changeLeads(tx, workspaceId, leads)
  return new Map(leads.map(({ now }) => [now.id, now]))
}

function change(
  leads: ChangingLead[],
  activities: LeadActivity[],
  places: Map<string, related.LeadPlace>,
  at: Date,
) {
  const byId = new Map(leads.map((lead) => [lead.before.id, lead]))
  const byAddress = Map.groupBy(leads, ({ before }) => before.email_folded)
  const byCompany = Map.groupBy(leads, ({ before }) => companyKey(before, before.company))
  const byMoveChain = Map.groupBy(leads, ({ before }) => moveChainOf(before))
  for (const activity of activities) {
    const lead = byId.get(activity.leadId)
    if (lead) changeItself(lead, activity, at)
    if (lead && isAnswer(activity)) {
      const moved = byMoveChain.get(moveChainOf(lead.before))
      changeOthers(lead, moved, (other) => planMoved(other, activity, at), at)
    }
    const { email_folded } = lead?.now ?? places.get(activity.leadId) ?? {}
    if (email_folded === undefined) continue
    if (activity.kind === 'unsubscribed') {
      changeOthers(lead, byAddress.get(email_folded), planUnsubscribe, at, cameAtOf(activity, at))
    } else if (isEnd(activity)) {
      changeOthers(lead, byAddress.get(email_folded), planBlock, at)
    } else if (activity.kind === 'replied' && lead?.now.stop_for_company) {
      const key = companyKey(lead.now, companyOf(email_folded))
      changeOthers(lead, byCompany.get(key), planCompanyStop, at)
    }
  }
}

function changeItself(lead: ChangingLead, activity: LeadActivity, at: Date) {
  const { patch, events } = planActivity(lead.now, activity, at)
  const of = sentIn(activity) ?? activity
  const cameAt = cameAtOf(activity, at)
  lead.about(('mail' in of && of.mail) || null, cameAt)
  countMail(lead, activity, cameAt)
  lead.change(patch, events, at)
  lead.about(null)
}

/** When the mail of an activity came, which may be read much later. */
const cameAtOf = (activity: LeadActivity, at: Date) => ('at' in activity && activity.at) || at

/** What happens to a mail, apart from what it makes of its lead. */
function countMail(lead: ChangingLead, activity: LeadActivity, at: Date) {
  const day = () => dayOf(lead.now.campaign_zone, at)
  const { kind } = activity
  const sent = sentIn(activity)
  if (sent) lead.count('sent', sent.day ?? day())
  else if (kind === 'auto_replied') lead.count('auto_replied', day())
  else if (kind === 'opened' || kind === 'clicked') {
    if (!activity.isMachine) lead.countFirst(kind, day())
  }
}

function sentIn(activity: LeadActivity) {
  if (activity.kind === 'sent') return activity
  return activity.kind === 'skipped' ? activity.sent : undefined
}

const companyKey = ({ id, campaign_id }: LockedLead, company: string | null) =>
  company === null ? id : `${campaign_id} ${company}`

function changeOthers(
  lead: ChangingLead | undefined,
  related: ChangingLead[] | undefined,
  plan: (other: LockedLead) => ActivityChange,
  at: Date,
  cameAt = at,
) {
  for (const other of related ?? []) {
    if (other === lead) continue
    const { patch, events } = plan(other.now)
    other.about(null, cameAt)
    other.change(patch, events, at)
    other.about(null)
  }
}

/**
 * Where the leads of activities that concern others are, and the ids of those others; suppresses
 * addresses on the way.
 */
async function findOthers(
  tx: Context,
  workspaceId: string,
  activities: LeadActivity[],
): Promise<{ places: Map<string, related.LeadPlace>; others: string[] }> {
  const concerning = activities.filter((activity) => isEnd(activity) || isAnswer(activity))
  if (concerning.length === 0) return { places: new Map(), others: [] }
  const leadIds = concerning.map(({ leadId }) => leadId)
  const places = new Map(
    (await related.findPlaces(tx.db, workspaceId, leadIds)).map((place) => [place.id, place]),
  )
  const { ended, reached } = addressesIn(concerning, places)
  const companies = concerning.flatMap(({ kind, leadId }) => {
    const place = places.get(leadId)
    if (kind !== 'replied' || !place?.stop_for_company) return []
    const company = companyOf(place.email_folded)
    return company ? [{ campaign_id: place.campaign_id, company }] : []
  })
  // Before any lead is locked, and before those of the address are looked for: whoever is adding one
  // is waited for, so that it is among those that are stopped.
  if (reached.length > 0) await liftBounces(tx, workspaceId, reached)
  if (ended.length > 0) await suppress(tx, workspaceId, ended)
  const moved = concerning
    .filter(isAnswer)
    .flatMap(({ leadId }) => places.get(leadId)?.moved_ids ?? [])
  const [byAddress, byCompany] = [
    ended.length === 0
      ? []
      : await related.findIdsByAddress(
          tx.db,
          workspaceId,
          ended.map(({ value }) => value),
        ),
    companies.length === 0
      ? []
      : await related.findIdsByCompany(
          tx.db,
          workspaceId,
          companies.map(({ campaign_id }) => campaign_id),
          companies.map(({ company }) => company),
        ),
  ]
  return { places, others: [...moved, ...[...byAddress, ...byCompany].map(({ id }) => id)] }
}

/** Who was moved on while their lead was waited for has a new one, behind all that are locked. */
async function findMovedMeanwhile(
  tx: Context,
  workspaceId: string,
  locked: LockedLead[],
  places: Map<string, related.LeadPlace>,
): Promise<string[]> {
  const changed = locked.filter(({ id, sending_state }) => {
    const place = places.get(id)
    if (!place) return false
    // Moving stops the lead that stays behind, unless it is finished. Of one that was moved before, the
    // other is moved on.
    const isStopped = place.sending_state !== sending_state
    return isStopped || sending_state === 'finished' || place.moved_ids.length > 0
  })
  if (changed.length === 0) return []
  const changedIds = changed.map(({ id }) => id)
  const now = await related.findPlaces(tx.db, workspaceId, changedIds)
  const known = new Set(locked.map(({ id }) => id))
  return [...new Set(now.flatMap(({ moved_ids }) => moved_ids))].filter((id) => !known.has(id))
}

/** Addresses that nothing is sent to any more, and those that mail arrives at after all. */
function addressesIn(activities: LeadActivity[], places: Map<string, related.LeadPlace>) {
  let ended: NewSuppression[] = []
  const reached = new Set<string>()
  for (const activity of activities) {
    const place = places.get(activity.leadId)
    if (!place) continue
    const { email_folded: value, campaign_id: campaignId } = place
    if (isEnd(activity)) {
      const reason = activity.kind === 'unsubscribed' ? 'unsubscribed' : 'bounced'
      ended.push({ kind: 'address', value, reason, campaignId })
    } else if (activity.kind === 'replied' && activity.provesAddress) {
      ended = ended.filter((entry) => entry.value !== value || entry.reason !== 'bounced')
      if (place.is_bounced) reached.add(value)
    }
  }
  return { ended, reached: [...reached] }
}

/** Leads that were moved on from one to the other have it in common. */
const moveChainOf = ({ id, moved_from }: Pick<StoredLead, 'id' | 'moved_from'>) => moved_from ?? id

const isAnswer = (activity: LeadActivity) =>
  activity.kind === 'replied' || activity.kind === 'auto_replied'

/** Nothing is sent to the address from here on. */
const isEnd = (activity: LeadActivity) =>
  activity.kind === 'unsubscribed' ||
  (activity.kind === 'bounced' && activity.bounce.kind === 'hard')
