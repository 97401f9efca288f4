import type { Context } from '../../../kernel/context.ts'
import { lockLeadCounts } from '../../campaigns/index.ts'
import { type Label, listLabels } from '../../labels/index.ts'
import { findAnsweredInMoveChain, findUnreadInMoveChain } from '../activity/activity-queries.ts'
import { addLeads, lockCampaignForAdding, roomInPlan } from '../adding/add-leads.ts'
import { ChangingLead, changeLeads } from '../change-leads.ts'
import { lockClaims } from '../claims-lock-queries.ts'
import * as leadQueries from '../queries.ts'
import { isHuge } from '../read-leads.ts'
import { isErased, isHeldBack, isOpen, type LockedLead } from '../record.ts'
import { type LeadInput, type RowSkipReason, textNames } from '../schema.ts'
import { stopsByStatus } from '../status/plan-status-change.ts'
import { erased } from '../status/set-statuses.ts'
import { removeLeads } from './delete.ts'
import { missing, type Outcome, refusal, stopped } from './outcome.ts'
import * as queries from './queries.ts'

/** Adds them to the other campaign; here they go, or stop where something was sent to them. */
export async function move(
  tx: Context,
  workspaceId: string,
  campaignId: string,
  ids: string[],
): Promise<Outcome> {
  const input = { campaign_id: campaignId, overwrite: false, skip_if_in_workspace: false }
  const { plan_leads_max } = await lockCampaignForAdding(tx, workspaceId, input)
  const leads = await leadQueries.lockLeads(tx.db, workspaceId, ids)
  const labels = new Map(
    (await listLabels(tx.db, workspaceId, { archived: true })).map((label) => [label.id, label]),
  )
  const idsOf = (rows: { id: string }[]) => new Set(rows.map(({ id }) => id))
  const answered = idsOf(await findAnsweredInMoveChain(tx.db, workspaceId, ids))
  const unread = idsOf(await findUnreadInMoveChain(tx.db, workspaceId, ids))
  const refusals = missing(ids, leads)
  const going: LockedLead[] = []
  for (const lead of leads) {
    const label = lead.label_id === null ? undefined : labels.get(lead.label_id)
    const [hasAnswered, isUnread] = [answered.has(lead.id), unread.has(lead.id)]
    const reason = whyNotMoved(lead, { label, hasAnswered, isUnread, campaignId })
    if (reason) refusals.push(refusal(lead, reason))
    else going.push(lead)
  }
  if (going.length === 0) return { changed: 0, toldOf: [], refusals, undo: null }
  const sources = [...new Set(going.map((lead) => lead.campaign_id))]
  // In this order, as leads are deleted: theirs are counted last.
  await lockClaims(tx.db, sources)
  await lockLeadCounts(tx, workspaceId, [...sources, campaignId])
  const adding = { ...input, leads: going.map(inputOf) }
  const added = await addLeads(tx, workspaceId, adding, { othersGo: true })
  for (const { index, reason } of added.skipped_leads) {
    const lead = going[index]
    if (lead) refusals.push(refusal(lead, skipped[reason]))
  }
  const moved = added.created_leads.flatMap(({ index }) => going[index] ?? [])
  const untouched = await queries.findUntouched(
    tx.db,
    workspaceId,
    moved.map(({ id }) => id),
  )
  await carryOver(tx, workspaceId, added.created_leads, going, untouched)
  await removeLeads(
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
  const staying = moved.filter(({ id }) => !untouched.has(id))
  const toldOf = [...staying, ...added.created_leads].map(({ id }) => id)
  return { changed: moved.length, toldOf, refusals, undo: null }
}

/** Null: it is moved. Whoever must not be written to at all is skipped as in any campaign. */
function whyNotMoved(
  lead: LockedLead,
  {
    label,
    hasAnswered,
    isUnread,
    campaignId,
  }: { label: Label | undefined; hasAnswered: boolean; isUnread: boolean; campaignId: string },
): string | null {
  if (isErased(lead)) return erased
  if (lead.campaign_id === campaignId) return skipped.already_in_campaign
  if (hasAnswered) return notMoved.replied
  if (lead.stop_reason !== null) return notMoved[lead.stop_reason]
  // Of one that had got its last mail, a person's word changes the status alone.
  if (stopsByStatus(lead.status, label)) return notMoved.said
  // One that was skipped waits for nobody's word, and may lack nothing in the other campaign.
  if (lead.sending_state === 'paused' && !isHeldBack(lead)) return notMoved.paused
  // The other campaign begins with them at once, and its first mail waits for no reading.
  return isUnread ? notMoved.unread : null
}

/**
 * Who is absent is written to on return, whichever campaign does; what a person has said of them is known
 * there, too, and nobody is told of it once more; and what comes back from a mail that they were sent here
 * concerns them there.
 */
async function carryOver(
  tx: Context,
  workspaceId: string,
  added: { index: number; id: string }[],
  going: LockedLead[],
  untouched: Set<string>,
) {
  const carried = added.flatMap(({ index, id }) => {
    const lead = going[index] as LockedLead
    const { postponed_until, label_id } = lead
    const isSaid = label_id !== null || lead.status === 'neutral'
    const moved_from = lead.moved_from ?? (untouched.has(lead.id) ? null : lead.id)
    if (!postponed_until && !isSaid && !moved_from) return []
    return [{ id, postponed_until, status: isSaid ? lead.status : null, label_id, moved_from }]
  })
  if (carried.length > 0) await queries.carryOver(tx.db, workspaceId, carried)
}

const addInstead = 'If they are to be written to all the same, add the address there.'

const notMoved = {
  replied: `${stopped.replied} ${addInstead}`,
  auto_replied: `${stopped.auto_replied} ${addInstead}`,
  company_replied: `${stopped.company_replied} ${addInstead}`,
  manual: `${stopped.manual} ${addInstead}`,
  said: `The lead's status says that nobody writes to them any more. ${addInstead}`,
  paused: 'The lead is paused; resume it first.',
  unread: `The mailbox that wrote to them is not read at the moment, so they may have answered. Move them once it is, or once its conversations were handed over. ${addInstead}`,
  ...{ bounced: null, unsubscribed: null, blocked: null },
}

const skipped: Record<RowSkipReason, string> = {
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
  ...Object.fromEntries(textNames.map((name) => [name, lead[name]])),
  custom_variables: Object.fromEntries(
    Object.entries(lead.custom_variables).map(([name, value]) => [
      name,
      // Such a number was taken once, and is taken as a text now.
      isHuge(value) ? String(value) : value,
    ]),
  ),
})
