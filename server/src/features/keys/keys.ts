import type { Selectable } from 'kysely'
import { parseInstant } from '../../kernel/calendar.ts'
import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import type { ServiceAccounts } from '../../kernel/db/types.gen.ts'
import { AppError, invalidField, invalidFields, notFound } from '../../kernel/errors.ts'
import type { Caller } from '../../kernel/http/access.ts'
import { type PageRequest, toPage } from '../../kernel/http/page.ts'
import { type ChangedBy, operator, recordAudit } from '../audit/index.ts'
import { lockMembers } from '../members/index.ts'
import * as queries from './queries.ts'
import { revokedKey } from './refusals.ts'
import type { Key, KeyInput } from './schema.ts'
import { problemsWithScopes, scopesBeyond } from './scopes.ts'
import { createSecret, hashSecret, prefixOf } from './secret.ts'

/**
 * Creates a key for whoever holds one: it may pass on only what it holds, and no longer than it
 * lives itself.
 */
export function createKeyAsCaller(
  ctx: Context,
  caller: Caller,
  input: KeyInput,
  requestId: string,
) {
  const problems = problemsWithScopes(input.scopes)
  if (problems.length > 0) throw invalidFields(problems)
  // What is wrong with the body is told before what the key may not pass on (contract §1).
  const wanted = expiryOf(ctx, input)
  const beyond = scopesBeyond(caller.scopes, input.scopes)
  if (beyond.length > 0) {
    throw new AppError(
      'scope_escalation',
      `A key can grant only scopes it holds itself; it lacks ${beyond.join(', ')}.`,
    )
  }
  const own = caller.expiresAt
  const expiresAt = own && (!wanted || own < wanted) ? own : wanted
  const by = { actor: caller.actor, requestId }
  return insert(ctx, caller.workspaceId, input, expiresAt, by)
}

/** The first key of a workspace comes from here: the operator may grant anything. */
export function createKeyAsOperator(ctx: Context, workspaceId: string, input: KeyInput) {
  const problems = problemsWithScopes(input.scopes)
  if (problems.length > 0) throw invalidFields(problems)
  return insert(ctx, workspaceId, input, expiryOf(ctx, input), operator)
}

export async function listKeys(ctx: Context, workspaceId: string, page: PageRequest) {
  const rows = await queries.listKeys(ctx.db, workspaceId, page)
  return toPage(
    rows.map((row) => toRecord(row, ctx.now())),
    page.limit,
  )
}

/**
 * Permanent, and in force for every request whose check starts after this returned. What a key has
 * made may come to light only after it was revoked alone: with its children it is revoked again.
 */
export async function revokeKey(
  ctx: Context,
  workspaceId: string,
  id: string,
  by: ChangedBy,
  options: { withChildren?: boolean } = {},
) {
  return transaction(ctx, async (tx) => {
    const revoked = await queries.revokeKey(tx.db, workspaceId, id, tx.now())
    const row = revoked ?? (options.withChildren && (await queries.findKey(tx.db, workspaceId, id)))
    if (!row) throw notFound('key')
    if (options.withChildren) await revokeDescendants(tx, workspaceId, id, by)
    if (revoked) await recordRevoked(tx, workspaceId, id, by)
    return toRecord(row, tx.now())
  })
}

/** The parent is revoked before its children are looked for, so none can be added meanwhile. */
async function revokeDescendants(
  tx: Context,
  workspaceId: string,
  parentId: string,
  by: ChangedBy,
) {
  for (const { id } of await queries.revokeChildren(tx.db, workspaceId, parentId, tx.now())) {
    await recordRevoked(tx, workspaceId, id, by)
  }
  for (const child of await queries.listChildIds(tx.db, workspaceId, parentId)) {
    await revokeDescendants(tx, workspaceId, child.id, by)
  }
}

const recordRevoked = (tx: Context, workspaceId: string, id: string, by: ChangedBy) =>
  recordAudit(tx, {
    ...{ workspaceId, action: 'key.revoked', subjectType: 'key', subjectId: id },
    ...by,
  })

async function insert(
  ctx: Context,
  workspaceId: string,
  input: KeyInput,
  expiresAt: Date | null,
  by: ChangedBy,
) {
  const { actor } = by
  const secret = createSecret()
  return transaction(ctx, async (tx) => {
    // The request was let in, but a key outlives it: whoever may make none any more makes none.
    if (actor.type === 'key' && actor.id !== null) await requireUnrevoked(tx, workspaceId, actor.id)
    if (actor.type === 'user') await lockMembers(tx, workspaceId, actor)
    const key = {
      workspace_id: workspaceId,
      id: tx.newId(),
      name: input.name,
      scopes: input.scopes,
      key_prefix: prefixOf(secret),
      created_by_type: actor.type,
      created_by_id: actor.id,
      timestamp_created: tx.now(),
      timestamp_updated: tx.now(),
      timestamp_expires: expiresAt,
    }
    const row = await queries.insertKey(tx.db, key, hashSecret(secret))
    await recordAudit(tx, {
      workspaceId,
      ...by,
      action: 'key.created',
      subjectType: 'key',
      subjectId: key.id,
      details: { key_prefix: key.key_prefix, scopes: input.scopes },
    })
    return { ...toRecord(row, tx.now()), key: secret }
  })
}

async function requireUnrevoked(tx: Context, workspaceId: string, id: string) {
  if (!(await queries.holdUnrevoked(tx.db, workspaceId, id))) throw revokedKey()
}

function expiryOf(ctx: Context, input: KeyInput): Date | null {
  if (input.timestamp_expires === undefined) return null
  const expires = parseInstant(input.timestamp_expires)
  const expiresAt = expires && new Date(expires.epochMilliseconds)
  if (expiresAt && expiresAt > ctx.now() && expiresAt <= latest) return expiresAt
  throw invalidField(
    '/timestamp_expires',
    'timestamp_expires must be an ISO 8601 time in the future, as 2027-01-31T00:00:00Z, and at most 9999-12-31T23:59:59.999Z',
  )
}

/** Many clients know no later one: a single such key would keep them from reading the list. */
const latest = new Date('9999-12-31T23:59:59.999Z')

function toRecord(row: Selectable<ServiceAccounts>, now: Date): Key {
  const { created_by_type, created_by_id, ...fields } = row
  const expired = row.timestamp_expires !== null && row.timestamp_expires <= now
  return {
    ...fields,
    status: row.timestamp_revoked ? 'revoked' : expired ? 'expired' : 'active',
    created_by: { type: created_by_type as Key['created_by']['type'], id: created_by_id },
  }
}
