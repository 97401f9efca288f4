import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { invalidField, notFound } from '../../kernel/errors.ts'
import { type AuditAction, type ChangedBy, recordAudit } from '../audit/index.ts'
import { foldStatus } from './builtin-statuses.ts'
import { problemWithName, slugOf } from './naming.ts'
import * as queries from './queries.ts'
import type { Label, LabelEffect, LabelSentiment } from './record.ts'

export interface NewLabel {
  name: string
  /** Default `none`. */
  effect?: LabelEffect
  /** Default `neutral`. */
  sentiment?: LabelSentiment
}

/**
 * The name of an archived label brings that label back, with its id and value, so that
 * subscriptions to it work again, and with what it did, where nothing else is given.
 */
export async function createLabel(
  ctx: Context,
  workspaceId: string,
  input: NewLabel,
  by: ChangedBy,
): Promise<Label> {
  return transaction(ctx, async (tx) => {
    await queries.lockNames(tx.db, workspaceId)
    const labels = await queries.listLabels(tx.db, workspaceId, { archived: true })
    const name = input.name.trim()
    const archived = labels.find(
      (label) => label.timestamp_archived && foldStatus(label.name) === foldStatus(name),
    )
    const problem = problemWithName(
      name,
      labels.filter((label) => label !== archived),
    )
    if (problem) throw invalidField('/name', problem)
    const effect = input.effect ?? archived?.effect ?? 'none'
    const sentiment = input.sentiment ?? archived?.sentiment ?? 'neutral'
    const row = archived
      ? await queries.updateLabel(tx.db, workspaceId, archived.id, {
          name,
          effect,
          sentiment,
          timestamp_archived: null,
          timestamp_updated: tx.now(),
        })
      : await queries.insertLabel(tx.db, {
          workspace_id: workspaceId,
          id: tx.newId(),
          name,
          name_folded: foldStatus(name),
          value: slugOf(name),
          effect,
          sentiment,
          timestamp_created: tx.now(),
          timestamp_updated: tx.now(),
        })
    if (!row) throw notFound('label')
    await record(tx, workspaceId, row.id, 'label.created', by)
    return row
  })
}

export type LabelChange = Partial<Pick<Label, 'name' | 'effect' | 'sentiment'>>

/**
 * The value stays: it is what integrations know the label by. Another effect holds for leads that are
 * given the label from now on.
 */
export async function updateLabel(
  ctx: Context,
  workspaceId: string,
  id: string,
  { name: newName, ...change }: LabelChange,
  by: ChangedBy,
): Promise<Label> {
  return transaction(ctx, async (tx) => {
    await queries.lockNames(tx.db, workspaceId)
    const before = await queries.findLabelById(tx.db, workspaceId, id)
    if (!before) throw notFound('label')
    const name = newName?.trim()
    const { effect = before.effect, sentiment = before.sentiment } = change
    const isSame = effect === before.effect && sentiment === before.sentiment
    if (isSame && (name ?? before.name) === before.name) return before
    if (name !== undefined) {
      const labels = await queries.listLabels(tx.db, workspaceId, { archived: true })
      const problem = problemWithName(
        name,
        labels.filter((label) => label.id !== id),
      )
      if (problem) throw invalidField('/name', problem)
    }
    const row = await queries.updateLabel(tx.db, workspaceId, id, {
      ...change,
      ...(name === undefined ? {} : { name, name_folded: foldStatus(name) }),
      timestamp_updated: tx.now(),
    })
    if (!row) throw notFound('label')
    await record(tx, workspaceId, id, isSame ? 'label.renamed' : 'label.updated', by)
    return row
  })
}

/** A label that is archived can no longer be set. Leads that have it keep it, and so do subscriptions. */
export async function archiveLabel(
  ctx: Context,
  workspaceId: string,
  id: string,
  by: ChangedBy,
): Promise<Label> {
  return transaction(ctx, async (tx) => {
    const row = await queries.archiveLabel(tx.db, workspaceId, id, tx.now())
    if (!row) throw notFound('label')
    await record(tx, workspaceId, id, 'label.archived', by)
    return row
  })
}

const record = (
  tx: Context,
  workspaceId: string,
  labelId: string,
  action: AuditAction,
  by: ChangedBy,
) => recordAudit(tx, { workspaceId, ...by, action, subjectType: 'label', subjectId: labelId })
