import type { FastifyRequest } from 'fastify'
import { type Context, onFirstShard } from '../../kernel/context.ts'
import { dayMs } from '../../kernel/durations.ts'
import type { Caller } from '../../kernel/http/access.ts'
import { type Page, type PageRequest, toPage } from '../../kernel/http/page.ts'
import { retentionDaysOf } from '../kept-settings/index.ts'
import { tellPages, topicsOfSubject } from '../live/index.ts'
import { listUsersById } from '../users/index.ts'
import type { AuditAction } from './actions.ts'
import * as queries from './queries.ts'
import type { AuditEntry } from './schema.ts'

/** Who did it: a person in the application, a key, the operator at the command line, or the service. */
export interface Actor {
  type: 'user' | 'key' | 'operator' | 'service'
  id: string | null
}

/** Who changes something, and in which request. */
export interface ChangedBy {
  actor: Actor
  requestId?: string | undefined
}

/** The id of who calls is always known: of a person, where only the application has the route. */
export interface ChangedByCaller extends ChangedBy {
  actor: Caller['actor']
}

export const operator: ChangedBy = { actor: { type: 'operator', id: null } }
export const service: ChangedBy = { actor: { type: 'service', id: null } }

export const changedBy = ({ caller, id }: FastifyRequest): ChangedByCaller => ({
  actor: caller.actor,
  requestId: id,
})

/** A person, in a request that is made in no workspace. */
export const changedByPerson = (userId: string, requestId: string | undefined): ChangedBy => ({
  actor: { type: 'user', id: userId },
  requestId,
})

export interface NewEntry extends ChangedBy {
  workspaceId: string
  action: AuditAction
  subjectType: string
  subjectId: string | null
  /** Ids and settings only: never a secret, a payload or a lead's address. */
  details?: Record<string, string | number | boolean | null | string[]>
}

/** Writes the entry in the caller's transaction: what is not recorded did not happen. Open pages are told. */
export async function recordAudit(tx: Context, entry: NewEntry): Promise<void> {
  await queries.insertAuditEntry(tx.db, {
    workspace_id: entry.workspaceId,
    id: tx.newId(),
    actor_type: entry.actor.type,
    actor_id: entry.actor.id,
    action: entry.action,
    subject_type: entry.subjectType,
    subject_id: entry.subjectId,
    request_id: entry.requestId ?? null,
    details: JSON.stringify(entry.details ?? {}),
    timestamp_created: tx.now(),
  })
  tellPages(tx, entry.workspaceId, topicsOfSubject(entry.subjectType))
}

/** Who changed what, newest first. */
export async function listAudit(
  ctx: Context,
  workspaceId: string,
  page: PageRequest,
  filter: queries.AuditFilter,
): Promise<Page<AuditEntry>> {
  const { startingAfter, limit } = page
  const rows = await listEntries(ctx, workspaceId, filter, startingAfter, limit + 1)
  const entries = rows.map(({ workspace_id: _, ...entry }) => entry)
  return toPage<AuditEntry>(entries, limit)
}

export async function listEntries(
  ctx: Context,
  workspaceId: string,
  filter: queries.AuditFilter,
  before: string | undefined,
  limit: number,
) {
  const entries = await queries
    .selectAuditEntries(ctx.db, workspaceId, filter, before, limit)
    .execute()
  return withNamesOfPeople(ctx, entries)
}

interface Acted {
  actor_type: string
  actor_id: string | null
  actor_name: string | null
}

/** People lie on the first shard: elsewhere the database has no names of theirs. */
export async function withNamesOfPeople<Entry extends Acted>(
  ctx: Context,
  entries: Entry[],
): Promise<Entry[]> {
  if (onFirstShard(ctx) === ctx) return entries
  const people = entries.flatMap(({ actor_type, actor_id }) =>
    actor_type === 'user' && actor_id !== null ? [actor_id] : [],
  )
  const users = await listUsersById(ctx, [...new Set(people)])
  const nameOf = new Map(users.map(({ id, name }) => [id, name]))
  return entries.map((entry) => ({
    ...entry,
    actor_name: entry.actor_name ?? nameOf.get(entry.actor_id ?? '') ?? null,
  }))
}

const batchMax = 5000

/** Deletes a workspace's entries past AUDIT_RETENTION_DAYS, in short statements. */
export async function dropOldEntries(ctx: Context, workspaceId: string): Promise<void> {
  const days = retentionDaysOf(ctx, 'AUDIT_RETENTION_DAYS')
  const limit = new Date(ctx.now().getTime() - days * dayMs)
  for (;;) {
    const deleted = await queries.deleteAuditEntries(ctx.db, workspaceId, limit, batchMax)
    if (deleted < batchMax) return
  }
}
