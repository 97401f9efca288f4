import type { Selectable } from 'kysely'
import type { Context } from '../../kernel/context.ts'
import type { Db } from '../../kernel/db/db.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import type { Labels } from '../../kernel/db/types.gen.ts'
import { invalidField, notFound } from '../../kernel/errors.ts'
import { type ChangedBy, recordAudit } from '../audit/index.ts'
import { foldStatus } from './builtin-statuses.ts'
import { problemWithName, slugOf } from './naming.ts'
import * as queries from './queries.ts'

/** What setting the label does to a lead that is still written to. */
export type LabelEffect = 'none' | 'pause' | 'stop'

export type LabelSentiment = 'positive' | 'neutral' | 'negative'

export interface NewLabel {
  name: string
  /** Default `none`. */
  effect?: LabelEffect
  /** Default `neutral`. */
  sentiment?: LabelSentiment
}

export interface Label {
  id: string
  name: string
  /** Slug of the first name; never changes, so integrations may rely on it. */
  value: string
  effect: LabelEffect
  sentiment: LabelSentiment
  timestamp_created: Date
  timestamp_updated: Date
  timestamp_archived: Date | null
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
    const labels = await listLabels(tx.db, workspaceId, { archived: true })
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
    return toLabel(row)
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
    const before = await findLabelById(tx.db, workspaceId, id)
    if (!before) throw notFound('label')
    const name = newName?.trim()
    const { effect = before.effect, sentiment = before.sentiment } = change
    const isSame = effect === before.effect && sentiment === before.sentiment
    if (isSame && (name ?? before.name) === before.name) return before
    if (name !== undefined) {
      const labels = await listLabels(tx.db, workspaceId, { archived: true })
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
    return toLabel(row)
  })
}

/** It can no longer be set. Leads that have it keep it, and so do subscriptions. */
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
    return toLabel(row)
  })
}

/** Newest first; those that can be set, or with `archived` all there ever were. */
export async function listLabels(
  db: Db,
  workspaceId: string,
  options: { archived?: boolean } = {},
): Promise<Label[]> {
  const rows = await queries.listLabels(db, workspaceId)
  return rows.filter((row) => options.archived || row.timestamp_archived === null).map(toLabel)
}

/** Archived ones too. */
export async function findLabelById(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<Label | undefined> {
  const row = await queries.findLabel(db, workspaceId, id)
  return row && toLabel(row)
}

const record = (tx: Context, workspaceId: string, labelId: string, action: string, by: ChangedBy) =>
  recordAudit(tx, { workspaceId, ...by, action, subjectType: 'label', subjectId: labelId })

const toLabel = (row: Selectable<Labels>): Label => ({
  id: row.id,
  name: row.name,
  value: row.value,
  effect: row.effect as LabelEffect,
  sentiment: row.sentiment as LabelSentiment,
  timestamp_created: row.timestamp_created,
  timestamp_updated: row.timestamp_updated,
  timestamp_archived: row.timestamp_archived,
})
