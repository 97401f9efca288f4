import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { type EmailAddress, parseEmail } from '../../kernel/email.ts'
import { AppError, invalidField } from '../../kernel/errors.ts'
import { builtinStatuses, listLabels } from '../labels/index.ts'
import { wakeCampaignMailboxes } from '../mailbox-lanes/index.ts'
import { findSuppressed, suppress } from '../suppression/index.ts'
import { type ChangedLead, changeLeads } from './change-leads.ts'
import { noSuchLead } from './find-lead.ts'
import * as queries from './queries.ts'
import { leadRecord } from './record.ts'
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
  return transaction(ctx, async (tx) => {
    const leads = isUnsubscribe(target)
      ? await suppressAndLock(tx, workspaceId, input.campaign_id, address)
      : await queries.lockLead(tx.db, workspaceId, input.campaign_id, address.folded)
    const named = leads.find((lead) => lead.campaign_id === input.campaign_id)
    if (!named) throw noSuchLead()
    const reasons = await findSuppressed(tx.db, workspaceId, [address.folded])
    const suppressed = reasons.has(address.folded)

    const changed: ChangedLead[] = []
    for (const lead of leads) {
      const change = planStatusChange(lead, target, { suppressed })
      if (change.kind === 'refused') throw refusal(change.message)
      if (change.kind === 'changed') changed.push({ lead, ...change })
    }
    const label = target.kind === 'label' ? target.label : undefined
    const stored = await changeLeads(tx, workspaceId, changed, label?.value ?? null)
    const resumed = changed.filter(({ patch }) => isSending(patch.sending_state))
    await wakeCampaignMailboxes(
      tx,
      workspaceId,
      resumed.map(({ lead }) => lead.campaign_id),
    )
    return leadRecord(stored.get(named.id) ?? named)
  })
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

/**
 * Suppresses the address and locks its leads in every campaign. In this order: whoever is adding the
 * address is waited for, so that the new lead is among those that are stopped.
 */
async function suppressAndLock(
  tx: Context,
  workspaceId: string,
  campaignId: string,
  { folded }: EmailAddress,
) {
  await suppress(tx, workspaceId, [
    { kind: 'address', value: folded, reason: 'unsubscribed', campaignId },
  ])
  return queries.lockLeadsOf(tx.db, workspaceId, folded)
}

const refusal = (message: string) =>
  new AppError('invalid_transition', message, { details: [{ path: '/new_status', message }] })
