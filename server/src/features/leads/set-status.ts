import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { parseEmail } from '../../kernel/email.ts'
import { AppError, invalidField } from '../../kernel/errors.ts'
import { builtinStatuses, listLabels } from '../labels/index.ts'
import { wakeCampaignMailboxes } from '../mailbox-lanes/index.ts'
import { findSuppressed } from '../suppression/index.ts'
import { ChangingLead, changeLeads } from './change-leads.ts'
import { noSuchLead } from './find-lead.ts'
import * as queries from './queries.ts'
import { leadRecord } from './record.ts'
import { recordActivities } from './record-activity.ts'
import { resumed } from './resume.ts'
import type { Lead, NewLeadStatus } from './schema.ts'
import { type NewStatus, parseNewStatus, planStatusChange } from './status.ts'

/** Sets what a lead means to people and, as the status says, what the sender does with it. */
export async function setLeadStatus(
  ctx: Context,
  workspaceId: string,
  input: NewLeadStatus,
): Promise<Lead> {
  const target = await readTarget(ctx, workspaceId, input.new_status)
  const address = parseEmail(input.email)
  if (!address) throw noSuchLead()
  const { campaign_id } = input
  return transaction(ctx, (tx) =>
    isUnsubscribe(target)
      ? unsubscribe(tx, workspaceId, campaign_id, address.folded)
      : setStatus(tx, workspaceId, campaign_id, address.folded, target),
  )
}

async function unsubscribe(tx: Context, workspaceId: string, campaignId: string, folded: string) {
  const lead = await queries.findLead(tx.db, workspaceId, campaignId, folded)
  if (!lead) throw noSuchLead()
  const activity = { kind: 'unsubscribed', leadId: lead.id } as const
  const leads = await recordActivities(tx, workspaceId, [activity])
  return leadRecord(leads.get(lead.id) ?? lead)
}

async function setStatus(
  tx: Context,
  workspaceId: string,
  campaignId: string,
  folded: string,
  target: NewStatus,
) {
  const lead = await queries.lockLead(tx.db, workspaceId, campaignId, folded)
  if (!lead) throw noSuchLead()
  const suppressed = (await findSuppressed(tx.db, workspaceId, [folded])).has(folded)
  const change = planStatusChange(lead, target, { suppressed })
  if (change.kind === 'refused') throw refusal(change.message)
  if (change.kind === 'unchanged') return leadRecord(lead)
  const customInterestValue = target.kind === 'label' ? target.label.value : null
  const data = { previous_status: lead.status }
  const isResumed = isSending(change.patch.sending_state)
  const { patch, events } = isResumed
    ? await resumed(tx, lead, change.patch)
    : {
        patch: change.patch,
        events: change.event ? [{ type: change.event, data, customInterestValue }] : [],
      }
  const changing = new ChangingLead(lead)
  changing.change(patch, events, tx.now())
  await changeLeads(tx, workspaceId, [changing])
  if (isResumed) await wakeCampaignMailboxes(tx, workspaceId, [campaignId])
  return leadRecord(changing.now)
}

async function readTarget(ctx: Context, workspaceId: string, text: string): Promise<NewStatus> {
  const builtin = parseNewStatus(text, [])
  if (builtin) return builtin
  const labels = await listLabels(ctx.db, workspaceId)
  const target = parseNewStatus(text, labels)
  if (target) return target
  const values = [...builtinStatuses, ...labels.map((label) => label.value)]
  throw invalidField('/new_status', `new_status must be one of ${values.join(', ')}`)
}

const isSending = (state: Lead['sending_state'] | undefined) =>
  state === 'pending' || state === 'active'

const isUnsubscribe = (target: NewStatus) =>
  target.kind === 'builtin' && target.status === 'unsubscribed'

const refusal = (message: string) =>
  new AppError('invalid_transition', message, { details: [{ path: '/new_status', message }] })
