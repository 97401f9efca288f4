import type { Context } from '../../../kernel/context.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { parseEmail } from '../../../kernel/email.ts'
import { AppError, invalidField } from '../../../kernel/errors.ts'
import { type ChangedBy, recordAudit } from '../../audit/index.ts'
import { builtinStatuses, listLabels } from '../../labels/index.ts'
import { recordActivities } from '../activity/record-activity.ts'
import { noSuchLead } from '../find-lead.ts'
import * as queries from '../queries.ts'
import { isErased, leadRecord, type StoredLead } from '../record.ts'
import type { Lead, LeadStatusInput } from '../schema.ts'
import { type NewStatus, parseNewStatus } from './plan-status-change.ts'
import { setStatuses } from './set-statuses.ts'

/** Sets what a lead means to people and, as the status says, what the sender does with it. */
export async function setLeadStatus(
  ctx: Context,
  workspaceId: string,
  input: LeadStatusInput,
  by: ChangedBy,
): Promise<Lead> {
  const address = parseEmail(input.email)
  const { campaign_id } = input
  const target =
    (await findOwnTarget(ctx, workspaceId, campaign_id, address?.folded, input.new_status)) ??
    (await readNewStatus(ctx, workspaceId, input.new_status))
  if (!address) throw noSuchLead()
  return transaction(ctx, async (tx) => {
    const { before, after } = isUnsubscribe(target)
      ? await unsubscribe(tx, workspaceId, campaign_id, address.folded)
      : await setStatus(tx, workspaceId, campaign_id, address.folded, target)
    const isChanged = before.status !== after.status || before.sending_state !== after.sending_state
    if (isChanged) await recordChange(tx, before, after, by)
    return leadRecord(after)
  })
}

interface Changed {
  before: StoredLead
  after: StoredLead
}

const recordChange = (tx: Context, before: StoredLead, after: StoredLead, by: ChangedBy) =>
  recordAudit(tx, {
    ...by,
    workspaceId: after.workspace_id,
    action: 'lead.status_set',
    subjectType: 'lead',
    subjectId: after.id,
    details: {
      previous_status: before.status,
      status: after.status,
      sending_state: after.sending_state,
    },
  })

async function unsubscribe(
  tx: Context,
  workspaceId: string,
  campaignId: string,
  folded: string,
): Promise<Changed> {
  const lead = await queries.findLead(tx.db, workspaceId, campaignId, folded)
  if (!lead || isErased(lead)) throw noSuchLead()
  const activity = { kind: 'unsubscribed', leadId: lead.id } as const
  const after = (await recordActivities(tx, workspaceId, [activity])).get(lead.id)
  // Moved or deleted since it was looked at: nothing is changed, and whoever asked is told.
  if (!after) throw noSuchLead()
  return { before: lead, after }
}

async function setStatus(
  tx: Context,
  workspaceId: string,
  campaignId: string,
  folded: string,
  target: NewStatus,
): Promise<Changed> {
  const lead = await queries.lockLead(tx.db, workspaceId, campaignId, folded)
  if (!lead || isErased(lead)) throw noSuchLead()
  const { changed, refused } = await setStatuses(tx, workspaceId, target, [lead])
  if (refused[0]) throw refusal(refused[0].message)
  return { before: lead, after: changed[0]?.now ?? lead }
}

/** The label that a lead has: it may have been archived since, and is then nothing to set anew. */
async function findOwnTarget(
  ctx: Context,
  workspaceId: string,
  campaignId: string,
  folded: string | undefined,
  text: string,
): Promise<NewStatus | undefined> {
  if (folded === undefined || parseNewStatus(text, [])) return undefined
  const lead = await queries.findLead(ctx.db, workspaceId, campaignId, folded)
  if (!lead?.label_id) return undefined
  const labels = await listLabels(ctx.db, workspaceId, { archived: true })
  const { label_id } = lead
  const live = parseNewStatus(
    text,
    labels.filter(({ timestamp_archived }) => !timestamp_archived),
  )
  return live
    ? undefined
    : parseNewStatus(
        text,
        labels.filter(({ id }) => id === label_id),
      )
}

/** @param path where the text stands in the body */
export async function readNewStatus(
  ctx: Context,
  workspaceId: string,
  text: string,
  path = '/new_status',
): Promise<NewStatus> {
  const builtin = parseNewStatus(text, [])
  if (builtin) return builtin
  const all = await listLabels(ctx.db, workspaceId, { archived: true })
  const labels = all.filter(({ timestamp_archived }) => !timestamp_archived)
  const target = parseNewStatus(text, labels)
  if (target) return target
  const values = [...builtinStatuses, ...labels.map((label) => label.value)]
  const why = parseNewStatus(text, all) ? 'names a label that was archived; it ' : ''
  throw invalidField(path, `${path.slice(1)} ${why}must be one of ${values.join(', ')}`)
}

const isUnsubscribe = (target: NewStatus) =>
  target.kind === 'builtin' && target.status === 'unsubscribed'

const refusal = (message: string) =>
  new AppError('invalid_transition', message, { details: [{ path: '/new_status', message }] })
