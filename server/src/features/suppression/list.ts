import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { domainOfAddress } from '../../kernel/email.ts'
import { AppError, invalidField, notFound } from '../../kernel/errors.ts'
import { invalidCursor, type Page, type PageRequest, toPage } from '../../kernel/http/page.ts'
import { type AuditAction, type ChangedBy, recordAudit } from '../audit/index.ts'
import { wakeWorkspaceMailboxes } from '../mailbox-lanes/index.ts'
import {
  foldedSearch,
  parseEntry,
  type SuppressionEntry,
  type SuppressionReason,
  shownEntry,
} from './entry.ts'
import * as queries from './queries.ts'
import type { LiftedSuppression } from './schema.ts'
import {
  erasedEntry,
  explainSuppressed,
  lockSuppressions,
  type Suppressed,
  suppress,
} from './suppression.ts'

const batchMax = 1000

/** The whole list, for a file, piece by piece: a heading, then a line for each reason of an entry. */
export async function* exportSuppressions(
  ctx: Context,
  workspaceId: string,
): AsyncGenerator<string> {
  yield 'value,kind,reason,timestamp_created\n'
  let after = { kind: '', value: '', reason: '' }
  for (;;) {
    const rows = await queries.listReasons(ctx.db, workspaceId, after, batchMax)
    let piece = ''
    for (const { value, kind, reason, timestamp_created } of rows) {
      piece += `${shownEntry(value)},${kind},${reason},${timestamp_created.toISOString()}\n`
    }
    yield piece
    const last = rows.at(-1)
    if (!last || rows.length < batchMax) return
    after = last
  }
}

export interface ShownSuppression {
  value: string
  suppressed: boolean
  /** Why nobody writes to it; null: it may be written to. */
  reason: SuppressionReason | null
  /** What says so. */
  by: Suppressed['by'] | null
  since: Date | null
  campaign_id: string | null
}

/** Whether somebody may write to an address or a domain, and which entry says no. */
export async function showSuppression(
  ctx: Context,
  workspaceId: string,
  text: string,
): Promise<ShownSuppression> {
  const entry = readEntry(text)
  const suppressed = await explainEntry(ctx, workspaceId, entry)
  if (!suppressed) {
    const nothing = { reason: null, by: null, since: null, campaign_id: null }
    return { value: entry.value, suppressed: false, ...nothing }
  }
  const { reason, by } = suppressed
  const said = sayingNo(entry, by)
  const stored = said && (await queries.findSuppression(ctx.db, workspaceId, said))
  return {
    ...{ value: entry.value, suppressed: true, reason, by },
    since: stored?.timestamp_created ?? null,
    campaign_id: stored?.campaign_id ?? null,
  }
}

async function explainEntry(
  ctx: Context,
  workspaceId: string,
  entry: SuppressionEntry,
): Promise<Suppressed | undefined> {
  const { kind, value } = entry
  if (kind === 'address') {
    return (await explainSuppressed(ctx.db, workspaceId, [value])).get(value)
  }
  const own = await queries.findSuppression(ctx.db, workspaceId, entry)
  return own && { reason: own.reason, by: 'domain' }
}

/** The entry of the workspace; undefined: it has none. */
function sayingNo({ value }: SuppressionEntry, by: Suppressed['by']): SuppressionEntry | undefined {
  if (by === 'opt-out') return undefined
  if (by === 'domain') return { kind: 'domain', value: domainOfAddress(value) }
  return { kind: 'address', value: by === 'erased' ? erasedEntry(value) : value }
}

export interface SuppressionFilter {
  /** A part of the address or domain, in any case. */
  search?: string | undefined
  kind?: SuppressionEntry['kind'] | undefined
  reason?: SuppressionReason | undefined
}

/** Addresses before domains, each by the alphabet. */
export async function listSuppressions(
  ctx: Context,
  workspaceId: string,
  page: PageRequest,
  filter: SuppressionFilter = {},
): Promise<Page<queries.StoredSuppression>> {
  const after = readPosition(page.startingAfter)
  const limit = page.limit + 1
  const search = filter.search && foldedSearch(filter.search)
  const rows = await queries.listSuppressions(ctx.db, workspaceId, after, limit, {
    ...filter,
    search,
  })
  const { items, ...next } = toPage(rows, page.limit, ({ kind, value }) => `${kind}:${value}`)
  return { ...next, items: items.map((row) => ({ ...row, value: shownEntry(row.value) })) }
}

/** `address:ann@example.com`, the entry that the last page ended with. */
function readPosition(cursor: string | undefined): queries.SuppressionPosition {
  if (cursor === undefined) return { kind: '', value: '' }
  const [, kind, value] = /^(address|domain):([^\0]+)$/s.exec(cursor) ?? []
  if (kind && value) return { kind, value }
  throw invalidCursor()
}

export const countSuppressions = (ctx: Context, workspaceId: string) =>
  queries.countSuppressions(ctx.db, workspaceId)

export async function addSuppression(
  ctx: Context,
  workspaceId: string,
  text: string,
  by: ChangedBy,
): Promise<SuppressionEntry & { reason: SuppressionReason }> {
  const entry = readEntry(text)
  return transaction(ctx, async (tx) => {
    await suppress(tx, workspaceId, [{ ...entry, reason: 'blocked', campaignId: null }])
    const stored = await queries.findSuppression(tx.db, workspaceId, entry)
    await record(tx, workspaceId, by, 'suppression.added', { kind: entry.kind })
    return { ...entry, reason: stored?.reason ?? 'blocked' }
  })
}

/**
 * Lifts a block. That somebody unsubscribed, or that an address does not exist, is lifted only with
 * `force`: writing to them again is against the law in most places, and against every provider's rules.
 * Leads that were stopped stay stopped.
 *
 * @param options also as it was seen
 */
export async function removeSuppression(
  ctx: Context,
  workspaceId: string,
  text: string,
  options: SeenSuppression & { force: boolean },
  by: ChangedBy,
): Promise<LiftedSuppression> {
  const entry = readEntry(text)
  return transaction(ctx, async (tx) => {
    const lifted = await liftSuppression(tx, workspaceId, entry, options)
    if (!lifted) throw notFound('suppression')
    const { reason } = lifted
    if (reason !== 'blocked' && !options.force) throw notLiftable(reason)
    await record(tx, workspaceId, by, 'suppression.removed', { reason, kind: entry.kind })
    await wakeWorkspaceMailboxes(tx, workspaceId)
    const still = await explainEntry(tx, workspaceId, entry)
    return {
      ...{ ...entry, reason, still_suppressed: still?.reason ?? null },
      still_suppressed_by: still?.by ?? null,
    }
  })
}

/** An entry as somebody saw it who lifts it: one that came since is another wish, or another bounce. */
export interface SeenSuppression {
  reason?: SuppressionReason | undefined
  since?: Date | undefined
}

/**
 * Deletes the strongest reason of an entry in the caller's transaction, and nothing else.
 *
 * @returns what it was; nothing: there was none
 * @throws AppError `version_conflict` when it is not the one that was seen
 */
export async function liftSuppression(
  tx: Context,
  workspaceId: string,
  entry: SuppressionEntry,
  { reason, since }: SeenSuppression = {},
): Promise<queries.StoredSuppression | undefined> {
  await lockSuppressions(tx, workspaceId)
  const stored = await queries.findSuppression(tx.db, workspaceId, entry)
  if (!stored) return undefined
  const isSame = (reason ?? stored.reason) === stored.reason
  const isAsOld = !since || since.getTime() === stored.timestamp_created.getTime()
  if (!isSame || !isAsOld) throw isAnother()
  await queries.deleteSuppression(tx.db, workspaceId, stored)
  return stored
}

const isAnother = () =>
  new AppError(
    'version_conflict',
    'This entry has changed since it was shown: look at it again before it is lifted.',
  )

const notLiftable = (reason: string) =>
  new AppError(
    'invalid_transition',
    reason === 'bounced'
      ? 'Mail to it was refused for good. Writing again costs the reputation of your mailboxes: --force does it all the same. If it was wrong, "suppressions undo" also brings its leads back.'
      : 'Its owner unsubscribed. Writing again without a new consent is against the law in most places: --force does it all the same.',
  )

function readEntry(text: string): SuppressionEntry {
  const entry = parseEntry(text)
  if (entry) return entry
  throw invalidField('/value', 'give an e-mail address or a domain, as example.com')
}

const record = (
  ctx: Context,
  workspaceId: string,
  by: ChangedBy,
  action: AuditAction,
  details: Record<string, string | number>,
) =>
  recordAudit(ctx, {
    workspaceId,
    ...by,
    action,
    subjectType: 'suppression',
    subjectId: null,
    details,
  })
