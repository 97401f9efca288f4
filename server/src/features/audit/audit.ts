import type { Context } from '../../kernel/context.ts'
import * as queries from './queries.ts'

/** Who did it: a person in the application, a key, the operator at the command line, or the service. */
export interface Actor {
  type: 'user' | 'key' | 'operator' | 'service'
  id: string | null
}

export const operator: Actor = { type: 'operator', id: null }
export const service: Actor = { type: 'service', id: null }

export interface AuditEntry {
  workspaceId: string
  actor: Actor
  /** `<resource>.<past tense>`, as `key.revoked`. */
  action: string
  subjectType: string
  subjectId: string | null
  requestId?: string
  /** Ids and settings only: never a secret, a payload or a lead's address. */
  details?: Record<string, string | number | boolean | null | string[]>
}

/** Writes the entry in the caller's transaction: what is not recorded did not happen. */
export const recordAudit = (tx: Context, entry: AuditEntry) =>
  queries.insertAuditEntry(tx.db, {
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
